// SPDX-License-Identifier: Apache-2.0
//
// The AES S-box through the tower field GF(((2^2)^2)^2): only 115 gates, but many levels of
// exclusive-ors that glitch.
//
// `open_i` may rise when the inverse has settled; then its products change once, together.
//
// Source of the equations: Boyar, Peralta, "A new combinational logic minimization technique with
// applications to cryptology" (SEA 2010), the listing of 115 gates; x0 and s0 are the highest
// bits. Tested for all 256 inputs.
module jm_aes_sbox_tower (
  input  logic [7:0] a_i,
  input  logic       open_i,  // low: the inverse reads as 0 and the gates behind it stand still
  output logic [7:0] q_o
);
  logic x0, x1, x2, x3, x4, x5, x6, x7;
  logic y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15, y16, y17, y18, y19,
        y20, y21;
  logic t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15, t16, t17, t18,
        t19, t20, t21, t22, t23, t24, t25, t26, t27, t28, t29, t30, t31, t32, t33, t34, t35, t36,
        t37, t38, t39, t40, t41, t42, t43, t44, t45, t46, t47, t48, t49, t50, t51, t52, t53, t54,
        t55, t56, t57, t58, t59, t60, t61, t62, t63, t64, t65, t66, t67;
  logic g29, g33, g37, g40;
  logic z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17;
  logic s0, s1, s2, s3, s4, s5, s6, s7;

  assign {x0, x1, x2, x3, x4, x5, x6, x7} = a_i;

  // From bits to the tower field (linear).
  assign y14 = x3 ^ x5;
  assign y13 = x0 ^ x6;
  assign y9 = x0 ^ x3;
  assign y8 = x0 ^ x5;
  assign t0 = x1 ^ x2;
  assign y1 = t0 ^ x7;
  assign y4 = y1 ^ x3;
  assign y12 = y13 ^ y14;
  assign y2 = y1 ^ x0;
  assign y5 = y1 ^ x6;
  assign y3 = y5 ^ y8;
  assign t1 = x4 ^ y12;
  assign y15 = t1 ^ x5;
  assign y20 = t1 ^ x1;
  assign y6 = y15 ^ x7;
  assign y10 = y15 ^ t0;
  assign y11 = y20 ^ y9;
  assign y7 = x7 ^ y11;
  assign y17 = y10 ^ y11;
  assign y19 = y10 ^ y8;
  assign y16 = t0 ^ y11;
  assign y21 = y13 ^ y16;
  assign y18 = x0 ^ y16;
  // Norm of the 8-bit value in the 4-bit field.
  assign t2 = y12 & y15;
  assign t3 = y3 & y6;
  assign t4 = t3 ^ t2;
  assign t5 = y4 & x7;
  assign t6 = t5 ^ t2;
  assign t7 = y13 & y16;
  assign t8 = y5 & y1;
  assign t9 = t8 ^ t7;
  assign t10 = y2 & y7;
  assign t11 = t10 ^ t7;
  assign t12 = y9 & y11;
  assign t13 = y14 & y17;
  assign t14 = t13 ^ t12;
  assign t15 = y8 & y10;
  assign t16 = t15 ^ t12;
  assign t17 = t4 ^ t14;
  assign t18 = t6 ^ t16;
  assign t19 = t9 ^ t14;
  assign t20 = t11 ^ t16;
  assign t21 = t17 ^ y20;
  assign t22 = t18 ^ y19;
  assign t23 = t19 ^ y21;
  assign t24 = t20 ^ y18;
  // Inverse in the 4-bit field.
  assign t25 = t21 ^ t22;
  assign t26 = t21 & t23;
  assign t27 = t24 ^ t26;
  assign t28 = t25 & t27;
  assign t29 = t28 ^ t22;
  assign t30 = t23 ^ t24;
  assign t31 = t22 ^ t26;
  assign t32 = t31 & t30;
  assign t33 = t32 ^ t24;
  assign t34 = t23 ^ t33;
  assign t35 = t27 ^ t33;
  assign t36 = t24 & t35;
  assign t37 = t36 ^ t34;
  assign t38 = t27 ^ t36;
  assign t39 = t29 & t38;
  assign t40 = t25 ^ t39;
  // Barrier: `open_i` low stops the inverse here.
  assign g29 = t29 & open_i;
  assign g33 = t33 & open_i;
  assign g37 = t37 & open_i;
  assign g40 = t40 & open_i;

  // Product with the inverse (18 conjunctions).
  assign t41 = g40 ^ g37;
  assign t42 = g29 ^ g33;
  assign t43 = g29 ^ g40;
  assign t44 = g33 ^ g37;
  assign t45 = t42 ^ t41;
  assign z0 = t44 & y15;
  assign z1 = g37 & y6;
  assign z2 = g33 & x7;
  assign z3 = t43 & y16;
  assign z4 = g40 & y1;
  assign z5 = g29 & y7;
  assign z6 = t42 & y11;
  assign z7 = t45 & y17;
  assign z8 = t41 & y10;
  assign z9 = t44 & y12;
  assign z10 = g37 & y3;
  assign z11 = g33 & y4;
  assign z12 = t43 & y13;
  assign z13 = g40 & y5;
  assign z14 = g29 & y2;
  assign z15 = t42 & y9;
  assign z16 = t45 & y14;
  assign z17 = t41 & y8;
  // Back to bits and the affine map (linear).
  assign t46 = z15 ^ z16;
  assign t47 = z10 ^ z11;
  assign t48 = z5 ^ z13;
  assign t49 = z9 ^ z10;
  assign t50 = z2 ^ z12;
  assign t51 = z2 ^ z5;
  assign t52 = z7 ^ z8;
  assign t53 = z0 ^ z3;
  assign t54 = z6 ^ z7;
  assign t55 = z16 ^ z17;
  assign t56 = z12 ^ t48;
  assign t57 = t50 ^ t53;
  assign t58 = z4 ^ t46;
  assign t59 = z3 ^ t54;
  assign t60 = t46 ^ t57;
  assign t61 = z14 ^ t57;
  assign t62 = t52 ^ t58;
  assign t63 = t49 ^ t58;
  assign t64 = z4 ^ t59;
  assign t65 = t61 ^ t62;
  assign t66 = z1 ^ t63;
  assign s0 = t59 ^ t63;
  assign s6 = ~(t56 ^ t62);
  assign s7 = ~(t48 ^ t60);
  assign t67 = t64 ^ t65;
  assign s3 = t53 ^ t66;
  assign s4 = t51 ^ t66;
  assign s5 = t47 ^ t65;
  assign s1 = ~(t64 ^ s3);
  assign s2 = ~(t55 ^ t67);

  assign q_o = {s0, s1, s2, s3, s4, s5, s6, s7};
endmodule
