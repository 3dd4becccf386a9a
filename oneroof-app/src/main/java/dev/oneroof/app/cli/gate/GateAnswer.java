package dev.oneroof.app.cli.gate;

/** The state of a gate, as it is printed. */
record GateAnswer(String gate, boolean open) {}
