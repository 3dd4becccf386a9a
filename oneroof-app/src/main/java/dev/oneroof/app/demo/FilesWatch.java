package dev.oneroof.app.demo;

import dev.oneroof.postgres.text.Counted;

/** Reports what the demo waits for when no file has been marked for a while: the births do not show it. */
final class FilesWatch {
    private static final int LOOKS = 25;

    private final DemoProgress progress;
    private long marked = -1;
    private int still;

    FilesWatch(DemoProgress progress) {
        this.progress = progress;
    }

    /** What a look has found; true when they are all marked. */
    boolean areDone(DemoSummary.Files files) {
        still = files.marked() == marked ? still + 1 : 0;
        marked = files.marked();
        if (still == LOOKS && !files.areDone()) {
            progress.say(waitingFor(files));
        }
        return files.areDone();
    }

    private static String waitingFor(DemoSummary.Files files) {
        String missing = "%,d of %,d files are not marked yet".formatted(files.files() - files.marked(), files.files());
        return files.jobs() > 0
                ? "%s; %s of theirs %s alive: 'oneroof status' shows why"
                        .formatted(missing, Counted.of(files.jobs(), "job"), files.jobs() == 1 ? "is" : "are")
                : "%s, and no job of theirs is alive: see 'oneroof status' and 'oneroof dlq list'".formatted(missing);
    }
}
