// SPDX-License-Identifier: Apache-2.0
//
// HalfSipHash-2-4 of one word of four bytes, a round a clock. `DataIn` is read twice, the second time
// two clocks after `Go`, so it must be held. A `Go` in the clock of `Finished` is not looked at.
module HalfSip (
    input  logic        Clock,
    input  logic        Reset,
    input  logic        Go,
    input  logic [63:0] KeyIn,
    input  logic [31:0] DataIn,
    output logic        Finished,
    output logic [31:0] HashOut
);
  function automatic logic [31:0] rotl(input logic [31:0] x, input int by);
    return (x << by) | (x >> (32 - by));
  endfunction

  localparam logic [31:0] Length = 32'h04000000;  // the last word of a message of four bytes

  logic [31:0] v0, v1, v2, v3, a0, a1, a2, a3, r0, r1, r2, r3;
  logic [3:0] step;

  always_comb begin
    a0 = v0 + v1;
    a1 = rotl(v1, 5) ^ a0;
    a2 = v2 + v3;
    a3 = rotl(v3, 8) ^ a2;
    r0 = rotl(a0, 16) + a3;
    r3 = rotl(a3, 7) ^ r0;
    r2 = a2 + a1;
    r1 = rotl(a1, 13) ^ r2;
    r2 = rotl(r2, 16);
  end

  assign HashOut = v1 ^ v3;

  always_ff @(posedge Clock or posedge Reset) begin
    if (Reset) begin
      step <= '0;
      Finished <= 1'b0;
      {v0, v1, v2, v3} <= '0;
    end else begin
      Finished <= step == 4'd8;
      if (step != 4'd0) begin
        step <= step == 4'd8 ? 4'd0 : step + 4'd1;
        {v0, v1, v2, v3} <= {r0, r1, r2, r3};
        if (step == 4'd2) begin
          v0 <= r0 ^ DataIn;
          v3 <= r3 ^ Length;
        end
        if (step == 4'd4) begin
          v0 <= r0 ^ Length;
          v2 <= r2 ^ 32'hff;
        end
      end else if (Go && !Finished) begin
        step <= 4'd1;
        v0 <= KeyIn[31:0];
        v1 <= KeyIn[63:32];
        v2 <= KeyIn[31:0] ^ 32'h6c796765;
        v3 <= KeyIn[63:32] ^ 32'h74656462 ^ DataIn;
      end
    end
  end
endmodule
