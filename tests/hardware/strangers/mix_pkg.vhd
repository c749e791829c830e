-- SPDX-License-Identifier: Apache-2.0
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

package mix_pkg is
  function turned(x : unsigned(31 downto 0)) return unsigned;
end package;

package body mix_pkg is
  function turned(x : unsigned(31 downto 0)) return unsigned is
  begin
    return rotate_left(x, 11);
  end function;
end package body;
