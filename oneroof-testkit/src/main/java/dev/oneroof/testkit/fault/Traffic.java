package dev.oneroof.testkit.fault;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** What passes through one proxied connection, piece by piece, and what becomes of each piece. */
interface Traffic {
    Side fromClient();

    Side fromServer();

    /** One direction; used by one thread. */
    interface Side {
        /** The next piece; empty at the end of the stream. */
        byte[] read(InputStream in) throws IOException;

        Verdict judge(byte[] piece);
    }

    enum Verdict {
        FORWARD,
        SWALLOW,
        CUT
    }

    /** Bytes as they come, none of them looked at. */
    static Traffic unread() {
        return new Traffic() {
            @Override
            public Side fromClient() {
                return new Chunks();
            }

            @Override
            public Side fromServer() {
                return new Chunks();
            }
        };
    }

    /** Whatever is there. */
    final class Chunks implements Side {
        private final byte[] buffer = new byte[16 * 1024];

        @Override
        public byte[] read(InputStream in) throws IOException {
            int count = in.read(buffer);
            return Arrays.copyOf(buffer, Math.max(count, 0));
        }

        @Override
        public Verdict judge(byte[] piece) {
            return Verdict.FORWARD;
        }
    }
}
