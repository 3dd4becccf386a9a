package dev.oneroof.app.cli;

/** Numbers as text. */
public final class NumberText {
    private NumberText() {}

    /** Without a fraction where the number has none. */
    public static String of(double number) {
        return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
    }
}
