// SPDX-License-Identifier: Apache-2.0
module mix_round (
    input wire [31:0] state,
    input wire [31:0] key,
    output wire [31:0] mixed
);
    assign mixed = {state[20:0], state[31:21]} + key;
endmodule
