// SPDX-License-Identifier: Apache-2.0
//
// Carries of an adder as a Kogge-Stone tree: log2(WIDTH) levels, each of which doubles the stretch
// that a pair (generate, propagate) stands for. P. M. Kogge, H. S. Stone, "A parallel algorithm for
// the efficient solution of a general class of recurrence equations", IEEE Trans. Computers C-22
// (1973). Takes the place of Yosys' own carry unit `$lcu`: C[i] = G[i] | P[i] & C[i-1].
(* techmap_celltype = "$lcu" *)
module joulemark_kogge_stone_lcu (P, G, CI, CO);
  parameter WIDTH = 2;
  localparam LEVELS = $clog2(WIDTH);

  (* force_downto *)
  input [WIDTH-1:0] P, G;
  input CI;
  (* force_downto *)
  output [WIDTH-1:0] CO;

  genvar level, i;
  wire [WIDTH-1:0] g [0:LEVELS];
  wire [WIDTH-1:0] p [0:LEVELS];

  assign g[0] = {G[WIDTH-1:1], G[0] | (P[0] & CI)};
  assign p[0] = P;
  generate
    for (level = 0; level < LEVELS; level = level + 1) begin : gen_level
      for (i = 0; i < WIDTH; i = i + 1) begin : gen_bit
        if (i >= (1 << level)) begin : gen_join
          assign g[level+1][i] = g[level][i] | (p[level][i] & g[level][i-(1<<level)]);
          assign p[level+1][i] = p[level][i] & p[level][i-(1<<level)];
        end else begin : gen_pass
          assign g[level+1][i] = g[level][i];
          assign p[level+1][i] = p[level][i];
        end
      end
    end
  endgenerate
  assign CO = g[LEVELS];
endmodule
