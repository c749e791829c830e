// SPDX-License-Identifier: Apache-2.0
// Runs the flash of a program of firmware/bench in avr8js and writes the log that firmware/simulators/simavr.c does:
//     node avr8js.cjs IMAGE RAM_BYTES
const fs = require('fs');
const { CPU, avrInstruction } = require('avr8js');

const image = fs.readFileSync(process.argv[2]);
const flash = new Uint8Array(0x20000);
flash.set(image);
const cpu = new CPU(new Uint16Array(flash.buffer), Number(process.argv[3]));
let instructions = 0;
let ended = false;
const lines = [];
cpu.writeHooks[0xf0] = (value) => { lines.push(`mark ${value} ${cpu.cycles} ${instructions}`); };
cpu.writeHooks[0xf1] = (value) => { lines.push(`byte ${value}`); };
cpu.writeHooks[0xf2] = () => { ended = true; };
while (!ended && cpu.cycles < 1e9) {
  avrInstruction(cpu);
  instructions += 1;
}
lines.push(ended ? 'end' : 'crash no end');
console.log(lines.join('\n'));
