// SPDX-License-Identifier: Apache-2.0
//
// A toy cipher with a pulse that loads its key, which is then read no more; `i_dec` is a mode, and
// with `i_en` low nothing moves. Not secure.
module mix_top (
    input wire i_clk,
    input wire i_rst,
    input wire i_en,
    input wire i_dec,
    input wire i_kld,
    input wire [31:0] i_key,
    output wire o_kready,
    input wire i_ld,
    input wire [31:0] i_din,
    output wire o_dvld,
    output wire [31:0] o_dout
);
    wire [31:0] mixed;
    reg [31:0] key, state;
    reg [2:0] left;
    reg done;

    mix_round round (
        .state(state),
        .key(i_dec ? ~key : key),
        .mixed(mixed)
    );
    assign o_dvld = done;
    assign o_dout = state;
    assign o_kready = left == 3'd0;

    always @(posedge i_clk) begin
        if (i_rst) begin
            left <= 3'd0;
            done <= 1'b0;
            key <= 32'd0;
            state <= 32'd0;
        end else if (i_en) begin
            done <= left == 3'd1;
            if (i_kld) key <= i_key;
            if (i_ld) begin
                state <= i_din;
                left <= 3'd5;
            end else if (left != 3'd0) begin
                state <= mixed;
                left <= left - 3'd1;
            end
        end
    end
endmodule
