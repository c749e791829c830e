-- SPDX-License-Identifier: Apache-2.0
--
-- The toy cipher of `mix.py` in VHDL. Not secure.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.mix_pkg.all;

entity Mix_Vhdl is
  port (
    Clk    : in  std_logic;
    Rst    : in  std_logic;
    Start  : in  std_logic;
    Key    : in  std_logic_vector(31 downto 0);
    Din    : in  std_logic_vector(31 downto 0);
    Done   : out std_logic;
    Dout   : out std_logic_vector(31 downto 0)
  );
end entity;

architecture rtl of Mix_Vhdl is
  type state_t is (idle, busy);
  signal state : state_t;
  signal word  : unsigned(31 downto 0);
  signal left  : integer range 0 to 7;
begin
  Dout <= std_logic_vector(word);

  process (Clk, Rst)
  begin
    if Rst = '1' then
      state <= idle;
      word <= (others => '0');
      left <= 0;
      Done <= '0';
    elsif rising_edge(Clk) then
      Done <= '0';
      case state is
        when idle =>
          if Start = '1' then
            word <= unsigned(Din);
            left <= 5;
            state <= busy;
          end if;
        when busy =>
          word <= turned(word) + unsigned(Key);
          left <= left - 1;
          if left = 1 then
            Done <= '1';
            state <= idle;
          end if;
      end case;
    end if;
  end process;
end architecture;
