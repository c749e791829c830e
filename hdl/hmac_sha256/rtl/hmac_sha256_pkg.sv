// SPDX-License-Identifier: Apache-2.0
//
// Constants of HMAC-SHA-256.
//
// Sources: RFC 2104, section 2 (ipad, opad); FIPS 180-4, section 5.1.1 (padding).
package hmac_sha256_pkg;
  localparam int unsigned BlockBytes = 64;

  localparam logic [511:0] InnerPad = {BlockBytes{8'h36}};
  localparam logic [511:0] OuterPad = {BlockBytes{8'h5c}};

  // The padding behind the 32 bytes of the inner hash, in the only block of the outer hash after
  // the key's: the mark, zeros, and the length in bits of the contents of both blocks.
  localparam logic [255:0] OuterPadding = {8'h80, 184'd0, 64'd768};
endpackage
