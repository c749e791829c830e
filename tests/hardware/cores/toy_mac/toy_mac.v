// SPDX-License-Identifier: Apache-2.0
//
// A toy authenticator in plain Verilog: words of 32 bits in, a tag of 32 bits out. Not secure; it is
// here to be driven, mapped and measured. tag = fold(... fold(fold(key, w0), w1) ...) where
// fold(s, w) = rotate_left(s ^ w, ROTATE) + w.
module toy_mac #(
    parameter ROTATE = 5,
    parameter WIPE = 0
) (
    input wire clk,
    input wire rst,
    input wire [31:0] key,
    input wire in_valid,
    output wire in_ready,
    input wire [31:0] in_data,
    input wire in_last,
    output reg out_valid,
    input wire out_ready,
    output wire [31:0] out_data
);
    reg [31:0] state;
    reg fresh;
    wire [31:0] mixed = (fresh ? key : state) ^ in_data;

    assign in_ready = !out_valid;
    assign out_data = state;

    always @(posedge clk) begin
        if (rst) begin
            state <= 32'd0;
            fresh <= 1'b1;
            out_valid <= 1'b0;
        end else begin
            if (in_valid && in_ready) begin
                state <= {mixed[31-ROTATE:0], mixed[31:32-ROTATE]} + in_data;
                fresh <= in_last;
                out_valid <= in_last;
            end
            if (out_valid && out_ready) begin
                out_valid <= 1'b0;
                if (WIPE != 0) state <= 32'd0;
            end
        end
    end
endmodule
