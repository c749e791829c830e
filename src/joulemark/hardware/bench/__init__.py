# SPDX-License-Identifier: Apache-2.0
"""What runs inside the simulator: streams, adapters and the workload that a report is made of.

Two moments of the clock are used and no others. Inputs change right after a rising edge; anything
is looked at on the falling edge, when every input and output of that clock period has settled.
What is seen on a falling edge is therefore what the next rising edge will act on, in any simulator.

Where a core says when its next input may come by an output that only registers drive, an adapter
answers in the same period, as a circuit in front of the core would: it looks as soon as all has
settled after the rising edge, and changes its inputs then, long before the falling edge.
"""
