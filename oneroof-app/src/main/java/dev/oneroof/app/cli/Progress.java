package dev.oneroof.app.cli;

import dev.oneroof.app.demo.DemoProgress;
import java.time.Duration;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** On a terminal, a progress bar once a step has taken a second; otherwise a line every ten seconds. */
public final class Progress implements DemoProgress, AutoCloseable {
    private static final Duration BAR_AFTER = Duration.ofSeconds(1);
    private static final int WIDTH = 100;
    private static final Duration LINE_EVERY = Duration.ofSeconds(10);

    // Set by the launcher, which can ask the shell about stderr; Java cannot.
    private final boolean terminal = Boolean.getBoolean("oneroof.terminal");
    private final Console console;
    private String what = "";
    private long started;
    private long lastLine;
    private long done;
    private long of;
    private boolean endless;
    private @Nullable ProgressBar bar;

    public Progress(Console console) {
        this.console = console;
    }

    @Override
    public void step(String next) {
        done();
        what = next;
        endless = false;
        started = System.nanoTime();
        lastLine = started;
    }

    @Override
    public void keepOn(String next) {
        step(next);
        endless = true;
    }

    @Override
    public void say(String message) {
        console.say(message);
    }

    @Override
    public void at(long reached, long total) {
        done = reached;
        of = total;
        long now = System.nanoTime();
        if (terminal && !endless) {
            if (bar == null && now - started > BAR_AFTER.toNanos()) {
                bar = new ProgressBarBuilder()
                        .setTaskName(what)
                        // Without a consumer of its own the library opens the terminal, which then handles
                        // Ctrl-C.
                        .setConsumer(new ConsoleProgressBarConsumer(console.messages(), WIDTH))
                        .setInitialMax(total)
                        .setStyle(ProgressBarStyle.ASCII)
                        .setUpdateIntervalMillis(250)
                        .build();
            }
            if (bar != null) {
                bar.maxHint(total);
                bar.stepTo(reached);
            }
        } else if (now - lastLine > LINE_EVERY.toNanos()) {
            lastLine = now;
            console.say("%s: %,d of %,d".formatted(what, done, of));
        }
    }

    @Override
    public void done() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
        if (of > 0 && !endless) {
            console.say("%s: %,d of %,d".formatted(what, done, of));
        }
        done = 0;
        of = 0;
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }
}
