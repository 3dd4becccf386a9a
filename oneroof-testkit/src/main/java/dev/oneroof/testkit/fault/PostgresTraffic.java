package dev.oneroof.testkit.fault;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One connection's messages, read as PostgreSQL's protocol frames them: a type, a length that counts itself, a body;
 * the first messages of a client have no type, and the server answers a question for encryption with a bare byte.
 *
 * <p>The server ends its answer to each Query, Sync and start-up with one ReadyForQuery. Counting both sides tells
 * which answer belongs to a statement, also when several are on the way at once.
 */
final class PostgresTraffic implements Traffic {
    private static final int ENCRYPTION_WANTED = 80877103;
    private static final int GSS_WANTED = 80877104;
    private static final int CANCEL = 80877102;

    private final PostgresProxy proxy;
    private volatile boolean askedForEncryption;
    private volatile @Nullable Pending pending;

    PostgresTraffic(PostgresProxy proxy) {
        this.proxy = proxy;
    }

    @Override
    public Side fromClient() {
        return new FromClient();
    }

    @Override
    public Side fromServer() {
        return new FromServer();
    }

    /** A cut that waits for the answer with this number. */
    private record Pending(Cut cut, int answer) {}

    private final class FromClient implements Side {
        private final Map<String, String> statements = new HashMap<>();
        private final Map<String, String> portals = new HashMap<>();
        private boolean started;
        private int answersDue;

        @Override
        public byte[] read(InputStream in) throws IOException {
            return started ? message(in, in.read()) : startup(in, in.read());
        }

        @Override
        public Verdict judge(byte[] piece) {
            if (!started) {
                return judgeStartup(ByteBuffer.wrap(piece).getInt(4));
            }
            ByteBuffer body = ByteBuffer.wrap(piece, 5, piece.length - 5);
            return switch ((char) piece[0]) {
                case 'Q' -> {
                    Verdict verdict = judgeStatement(text(body));
                    answersDue++;
                    yield verdict;
                }
                case 'P' -> {
                    statements.put(text(body), text(body));
                    yield Verdict.FORWARD;
                }
                case 'B' -> {
                    String portal = text(body);
                    portals.put(portal, statements.getOrDefault(text(body), ""));
                    yield Verdict.FORWARD;
                }
                case 'E' -> judgeStatement(portals.getOrDefault(text(body), ""));
                case 'S', 'F' -> {
                    answersDue++;
                    yield Verdict.FORWARD;
                }
                default -> Verdict.FORWARD;
            };
        }

        private Verdict judgeStartup(int code) {
            switch (code) {
                case ENCRYPTION_WANTED, GSS_WANTED -> askedForEncryption = true;
                case CANCEL -> {}
                default -> {
                    started = true;
                    answersDue++;
                }
            }
            return Verdict.FORWARD;
        }

        /** The statement's own answer is the next one to fall due, whether by its Query or by the Sync to come. */
        private Verdict judgeStatement(String statement) {
            Cut cut = proxy.cutFor(statement);
            if (cut == null) {
                return Verdict.FORWARD;
            }
            if (cut.afterAnswer()) {
                pending = new Pending(cut, answersDue + 1);
                return Verdict.FORWARD;
            }
            cut.happens();
            return Verdict.CUT;
        }
    }

    private final class FromServer implements Side {
        private int answers;

        @Override
        public byte[] read(InputStream in) throws IOException {
            int first = in.read();
            // Only now is it certain what was asked: the server speaks when it has been spoken to.
            if (first >= 0 && askedForEncryption) {
                askedForEncryption = false;
                if (first != 'N') {
                    throw new IOException("An encrypted connection cannot be read.");
                }
                return new byte[] {(byte) first};
            }
            return message(in, first);
        }

        @Override
        public Verdict judge(byte[] piece) {
            if (piece[0] == 'A' && piece.length > 1 && proxy.swallowsNotifications()) {
                return Verdict.SWALLOW;
            }
            Pending waiting = pending;
            boolean ready = piece[0] == 'Z' && piece.length > 1;
            if (ready) {
                answers++;
            }
            if (waiting == null) {
                return Verdict.FORWARD;
            }
            if (answers >= waiting.answer) {
                waiting.cut.happens();
                return Verdict.CUT;
            }
            // An earlier answer's last word still goes to the client; what follows it is the one to keep.
            return answers == waiting.answer - 1 && !ready ? Verdict.SWALLOW : Verdict.FORWARD;
        }
    }

    private static byte[] startup(InputStream in, int first) throws IOException {
        return first < 0 ? new byte[0] : framed(in, ByteBuffer.allocate(0), first);
    }

    private static byte[] message(InputStream in, int type) throws IOException {
        if (type < 0) {
            return new byte[0];
        }
        return framed(in, ByteBuffer.wrap(new byte[] {(byte) type}), in.read());
    }

    /** What came before the length, the length, and as many bytes as it says. */
    private static byte[] framed(InputStream in, ByteBuffer before, int firstOfLength) throws IOException {
        byte[] rest = in.readNBytes(3);
        if (firstOfLength < 0 || rest.length < 3) {
            throw new IOException("The stream ended within a message.");
        }
        int length = ByteBuffer.allocate(4).put((byte) firstOfLength).put(rest).getInt(0);
        byte[] body = in.readNBytes(length - 4);
        if (body.length < length - 4) {
            throw new IOException("The stream ended within a message.");
        }
        return ByteBuffer.allocate(before.remaining() + 4 + body.length)
                .put(before)
                .putInt(length)
                .put(body)
                .array();
    }

    /** The next text of a message, which ends with a zero. */
    private static String text(ByteBuffer body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (byte next = body.get(); next != 0; next = body.get()) {
            bytes.write(next);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
