// SPDX-License-Identifier: Apache-2.0
//
// SHA-1's constants and round functions (FIPS 180-4, sections 4.1.1, 4.2.1 and 5.3.1).
package sha1_serial_pkg;
  // Rounds 0-19, 20-39, 40-59 and 60-79.
  typedef enum logic [1:0] {
    Choose = 2'd0,
    ParityFirst = 2'd1,
    Majority = 2'd2,
    ParityLast = 2'd3
  } stage_e;

  function automatic logic [31:0] round_constant(stage_e stage);
    unique case (stage)
      Choose: return 32'h5A827999;
      ParityFirst: return 32'h6ED9EBA1;
      Majority: return 32'h8F1BBCDC;
      default: return 32'hCA62C1D6;
    endcase
  endfunction

  function automatic logic [31:0] round_function(stage_e stage, logic [31:0] b, logic [31:0] c,
                                                 logic [31:0] d);
    unique case (stage)
      Choose: return d ^ (b & (c ^ d));
      Majority: return (b & c) | (d & (b | c));
      default: return b ^ c ^ d;
    endcase
  endfunction

  // H4 to H0, in the order in which the digest is computed.
  function automatic logic [31:0] initial_value(logic [2:0] place);
    unique case (place)
      3'd0: return 32'hC3D2E1F0;
      3'd1: return 32'h10325476;
      3'd2: return 32'h98BADCFE;
      3'd3: return 32'hEFCDAB89;
      default: return 32'h67452301;
    endcase
  endfunction
endpackage
