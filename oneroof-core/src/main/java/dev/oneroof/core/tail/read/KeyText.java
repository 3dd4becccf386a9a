package dev.oneroof.core.tail.read;

import dev.oneroof.core.tail.source.TimeType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.chrono.IsoEra;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.SignStyle;
import java.time.temporal.ChronoField;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The text of a time, to the microsecond, as PostgreSQL reads it. The driver's own text goes through a calendar and the
 * JVM's zone. The server would make the text for every row, and one per batch is needed.
 */
public final class KeyText {
    private static final DateTimeFormatter DATE = new DateTimeFormatterBuilder()
            .appendValue(ChronoField.YEAR_OF_ERA, 4, 10, SignStyle.NEVER)
            .appendPattern("-MM-dd")
            .toFormatter(Locale.ROOT);
    private static final DateTimeFormatter DATE_AND_TIME = new DateTimeFormatterBuilder()
            .append(DATE)
            .appendPattern(" HH:mm:ss.SSSSSS")
            .toFormatter(Locale.ROOT);

    private KeyText() {}

    /** Null where the row has no time. */
    public static @Nullable String of(ResultSet row, int position, TimeType type) throws SQLException {
        return switch (type) {
            case TIMESTAMPTZ -> {
                OffsetDateTime time = row.getObject(position, OffsetDateTime.class);
                yield time == null ? null : moment(time);
            }
            case TIMESTAMP -> {
                LocalDateTime time = row.getObject(position, LocalDateTime.class);
                yield time == null ? null : dateAndTime(time, "");
            }
            case DATE -> {
                LocalDate date = row.getObject(position, LocalDate.class);
                yield date == null ? null : date(date);
            }
        };
    }

    private static String moment(OffsetDateTime time) {
        // The driver's values for infinity; they have no zone.
        if (time.equals(OffsetDateTime.MAX)) {
            return "infinity";
        }
        if (time.equals(OffsetDateTime.MIN)) {
            return "-infinity";
        }
        return dateAndTime(time.withOffsetSameInstant(ZoneOffset.UTC).toLocalDateTime(), "+00");
    }

    private static String dateAndTime(LocalDateTime time, String zone) {
        if (time.equals(LocalDateTime.MAX)) {
            return "infinity";
        }
        if (time.equals(LocalDateTime.MIN)) {
            return "-infinity";
        }
        return DATE_AND_TIME.format(time) + zone + era(time.toLocalDate());
    }

    private static String date(LocalDate date) {
        if (date.equals(LocalDate.MAX)) {
            return "infinity";
        }
        if (date.equals(LocalDate.MIN)) {
            return "-infinity";
        }
        return DATE.format(date) + era(date);
    }

    private static String era(LocalDate date) {
        return date.getEra() == IsoEra.BCE ? " BC" : "";
    }
}
