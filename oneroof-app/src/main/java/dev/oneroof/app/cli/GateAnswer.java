package dev.oneroof.app.cli;

/** How a gate stands now, as it is printed. */
record GateAnswer(String gate, boolean open) {}
