// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 (FIPS 180-4) of padded blocks, UNROLL rounds in a clock, for the example of a user's core:
// `init` takes the first block, `next` the others, `ready` is high when a block may come.
module my_sha256 #(
    parameter UNROLL = 1
) (
    input wire clk,
    input wire reset_n,
    input wire init,
    input wire next,
    input wire [511:0] block,
    output wire ready,
    output wire [255:0] digest,
    output reg digest_valid
);
    localparam [255:0] START = 256'h6a09e667_bb67ae85_3c6ef372_a54ff53a_510e527f_9b05688c_1f83d9ab_5be0cd19;

    reg [255:0] chain, state;
    reg [511:0] words;
    reg [6:0] round;
    reg busy;

    assign ready = !busy;
    assign digest = chain;

    // Fractional parts of the cube roots of the first 64 primes, section 4.2.2.
    function [31:0] constant(input [5:0] t);
        case (t)
            6'd0: constant = 32'h428a2f98;
            6'd1: constant = 32'h71374491;
            6'd2: constant = 32'hb5c0fbcf;
            6'd3: constant = 32'he9b5dba5;
            6'd4: constant = 32'h3956c25b;
            6'd5: constant = 32'h59f111f1;
            6'd6: constant = 32'h923f82a4;
            6'd7: constant = 32'hab1c5ed5;
            6'd8: constant = 32'hd807aa98;
            6'd9: constant = 32'h12835b01;
            6'd10: constant = 32'h243185be;
            6'd11: constant = 32'h550c7dc3;
            6'd12: constant = 32'h72be5d74;
            6'd13: constant = 32'h80deb1fe;
            6'd14: constant = 32'h9bdc06a7;
            6'd15: constant = 32'hc19bf174;
            6'd16: constant = 32'he49b69c1;
            6'd17: constant = 32'hefbe4786;
            6'd18: constant = 32'h0fc19dc6;
            6'd19: constant = 32'h240ca1cc;
            6'd20: constant = 32'h2de92c6f;
            6'd21: constant = 32'h4a7484aa;
            6'd22: constant = 32'h5cb0a9dc;
            6'd23: constant = 32'h76f988da;
            6'd24: constant = 32'h983e5152;
            6'd25: constant = 32'ha831c66d;
            6'd26: constant = 32'hb00327c8;
            6'd27: constant = 32'hbf597fc7;
            6'd28: constant = 32'hc6e00bf3;
            6'd29: constant = 32'hd5a79147;
            6'd30: constant = 32'h06ca6351;
            6'd31: constant = 32'h14292967;
            6'd32: constant = 32'h27b70a85;
            6'd33: constant = 32'h2e1b2138;
            6'd34: constant = 32'h4d2c6dfc;
            6'd35: constant = 32'h53380d13;
            6'd36: constant = 32'h650a7354;
            6'd37: constant = 32'h766a0abb;
            6'd38: constant = 32'h81c2c92e;
            6'd39: constant = 32'h92722c85;
            6'd40: constant = 32'ha2bfe8a1;
            6'd41: constant = 32'ha81a664b;
            6'd42: constant = 32'hc24b8b70;
            6'd43: constant = 32'hc76c51a3;
            6'd44: constant = 32'hd192e819;
            6'd45: constant = 32'hd6990624;
            6'd46: constant = 32'hf40e3585;
            6'd47: constant = 32'h106aa070;
            6'd48: constant = 32'h19a4c116;
            6'd49: constant = 32'h1e376c08;
            6'd50: constant = 32'h2748774c;
            6'd51: constant = 32'h34b0bcb5;
            6'd52: constant = 32'h391c0cb3;
            6'd53: constant = 32'h4ed8aa4a;
            6'd54: constant = 32'h5b9cca4f;
            6'd55: constant = 32'h682e6ff3;
            6'd56: constant = 32'h748f82ee;
            6'd57: constant = 32'h78a5636f;
            6'd58: constant = 32'h84c87814;
            6'd59: constant = 32'h8cc70208;
            6'd60: constant = 32'h90befffa;
            6'd61: constant = 32'ha4506ceb;
            6'd62: constant = 32'hbef9a3f7;
            6'd63: constant = 32'hc67178f2;
        endcase
    endfunction

    function [31:0] rotated(input [31:0] x, input integer bits);
        rotated = (x >> bits) | (x << (32 - bits));
    endfunction

    function [255:0] next_state(input [255:0] s, input [31:0] w, input [31:0] k);
        reg [31:0] a, b, c, d, e, f, g, h, t1, t2;
        begin
            {a, b, c, d, e, f, g, h} = s;
            t1 = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) + k + w;
            t2 = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            next_state = {t1 + t2, a, b, c, d + t1, e, f, g};
        end
    endfunction

    function [511:0] next_words(input [511:0] w);
        reg [31:0] w1, w9, w14;
        begin
            w1 = w[479:448];
            w9 = w[223:192];
            w14 = w[63:32];
            next_words = {
                w[479:0],
                w[511:480] + (rotated(w1, 7) ^ rotated(w1, 18) ^ (w1 >> 3)) + w9
                    + (rotated(w14, 17) ^ rotated(w14, 19) ^ (w14 >> 10))
            };
        end
    endfunction

    function [255:0] sum(input [255:0] x, input [255:0] y);
        integer i;
        for (i = 0; i < 8; i = i + 1) sum[32*i+:32] = x[32*i+:32] + y[32*i+:32];
    endfunction

    reg [255:0] stepped;
    reg [511:0] shifted;
    integer n;
    always @* begin
        stepped = state;
        shifted = words;
        for (n = 0; n < UNROLL; n = n + 1) begin
            stepped = next_state(stepped, shifted[511:480], constant(round[5:0] + n[5:0]));
            shifted = next_words(shifted);
        end
    end

    always @(posedge clk or negedge reset_n) begin
        if (!reset_n) begin
            chain <= 256'd0;
            state <= 256'd0;
            words <= 512'd0;
            round <= 7'd0;
            busy <= 1'b0;
            digest_valid <= 1'b0;
        end else if (!busy) begin
            if (init || next) begin
                if (init) chain <= START;
                state <= init ? START : chain;
                words <= block;
                round <= 7'd0;
                busy <= 1'b1;
                digest_valid <= 1'b0;
            end
        end else if (round == 7'd64) begin
            chain <= sum(chain, state);
            busy <= 1'b0;
            digest_valid <= 1'b1;
        end else begin
            state <= stepped;
            words <= shifted;
            round <= round + UNROLL[6:0];
        end
    end
endmodule
