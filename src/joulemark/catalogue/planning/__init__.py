# SPDX-License-Identifier: Apache-2.0
"""Facts for planning: microcontrollers, radios, batteries, nodes, packet protocols, core cycles.

Each kind is a folder of the catalogue, with a TOML file for each microcontroller, radio and so on.
A value has a unit, a document, a place in it, and a state: `read` by somebody of this project in
that document, or `remembered`. A program that uses a remembered value says so in its output.
"""
