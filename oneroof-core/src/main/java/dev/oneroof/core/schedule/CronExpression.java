package dev.oneroof.core.schedule;

import com.cronutils.model.Cron;
import com.cronutils.model.definition.CronDefinition;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.field.CronFieldName;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A cron expression in a time zone. The library computes times in UTC; this class applies the changes to and from daylight
 * saving time:
 *
 * <ul>
 *   <li>An expression that names hours is due once for each named time. A time in the gap is due at the moment of the change;
 *       a time in the overlap is due the first time only.
 *   <li>An expression for every hour is due whenever the local time matches. Times in the gap are left out, and times in the
 *       overlap are due twice, so that its interval stays the same.
 * </ul>
 */
public final class CronExpression implements Recurrence {
    private static final int LONGEST = 200;
    private static final Pattern ALLOWED = Pattern.compile("[0-9A-Za-z*/,#@ \\t-]+");
    private static final Pattern LAST_IN_A_LIST = Pattern.compile("(?i)(,\\d*L\\b|\\bL(-\\d+)?,)");
    private static final CronDefinition MINUTES = definition(false);
    private static final CronDefinition SECONDS = definition(true);

    private final String expression;
    private final ZoneId zone;
    private final ExecutionTime times;
    private final boolean everyHour;

    private CronExpression(String expression, ZoneId zone, Cron cron) {
        this.expression = expression;
        this.zone = zone;
        this.times = ExecutionTime.forCron(cron);
        this.everyHour = isEveryHour(cron);
    }

    /** However it is written: as *, 0-23 or a list of all hours. */
    private static boolean isEveryHour(Cron cron) {
        String hours = cron.retrieve(CronFieldName.HOUR).getExpression().asString();
        ExecutionTime daily = ExecutionTime.forCron(new CronParser(MINUTES).parse("0 %s * * *".formatted(hours)));
        ZonedDateTime time = ZonedDateTime.of(2000, 1, 1, 23, 30, 0, 0, ZoneOffset.UTC);
        for (int hour = 0; hour < 24; hour++) {
            ZonedDateTime next = daily.nextExecution(time).orElse(time);
            if (next.getHour() != hour) {
                return false;
            }
            time = next;
        }
        return true;
    }

    /**
     * Five fields as in a crontab, six with the second first, or a nickname such as {@code @daily}. If both the day of month
     * and the day of week are restricted, a time that matches either is due.
     */
    public static CronExpression of(String expression, String zone) {
        String written = expression.strip();
        if (written.length() > LONGEST || !ALLOWED.matcher(written).matches()) {
            throw refused(
                    "cron",
                    written,
                    "an expression of 1 to %d characters: digits, letters, blanks and any of * / , - # @"
                            .formatted(LONGEST));
        }
        if (LAST_IN_A_LIST.matcher(written).find()) {
            throw refused("cron", written, "L by itself; in a list it would never be due");
        }
        CronExpression parsed = new CronExpression(written, zone(zone), parse(written));
        if (!parsed.isEverDue()) {
            throw refused("cron", written, "an expression that is due at some time; this one never is");
        }
        return parsed;
    }

    private boolean isEverDue() {
        try {
            return next(Instant.EPOCH).isPresent();
        } catch (RuntimeException e) {
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "cron: '%s' is not allowed: its times cannot be computed; allowed is a crontab expression"
                            .formatted(shortened(expression)),
                    e);
        }
    }

    private static Cron parse(String written) {
        boolean word = written.startsWith("@");
        int fields = written.split("\\s+").length;
        if (!word && fields != 5 && fields != 6) {
            throw refused(
                    "cron",
                    written,
                    "five fields (minute, hour, day of month, month, day of week), or six with the second in front");
        }
        try {
            return new CronParser(word || fields == 5 ? MINUTES : SECONDS)
                    .parse(written)
                    .validate();
        } catch (RuntimeException e) {
            // Not only IllegalArgumentException: for some mistakes the library throws IndexOutOfBoundsException.
            throw new OneRoofException(
                    ErrorCode.INVALID_INPUT,
                    "cron: '%s' is not allowed: %s; allowed are %s"
                            .formatted(
                                    shortened(written),
                                    shortened(String.valueOf(e.getMessage())),
                                    "minute 0-59, hour 0-23, day of month 1-31, month 1-12, day of week 0-7"),
                    e);
        }
    }

    private static ZoneId zone(String name) {
        try {
            return ZoneId.of(name);
        } catch (DateTimeException e) {
            throw refused("zone", name, "the name of a time zone, such as UTC or Europe/Berlin");
        }
    }

    private static CronDefinition definition(boolean seconds) {
        CronDefinitionBuilder builder = CronDefinitionBuilder.defineCron();
        if (seconds) {
            builder = builder.withSeconds().withStrictRange().and();
        } else {
            builder = builder.withSupportedNicknameHourly()
                    .withSupportedNicknameDaily()
                    .withSupportedNicknameMidnight()
                    .withSupportedNicknameWeekly()
                    .withSupportedNicknameMonthly()
                    .withSupportedNicknameYearly()
                    .withSupportedNicknameAnnually();
        }
        return builder.withMinutes()
                .withStrictRange()
                .and()
                .withHours()
                .withStrictRange()
                .and()
                .withDayOfMonth()
                .supportsL()
                .withStrictRange()
                .and()
                .withMonth()
                .withStrictRange()
                .and()
                .withDayOfWeek()
                .withValidRange(0, 7)
                .withMondayDoWValue(1)
                .withIntMapping(7, 0)
                .supportsHash()
                .supportsL()
                .withStrictRange()
                .and()
                .instance();
    }

    public String expression() {
        return expression;
    }

    public String zone() {
        return zone.getId();
    }

    @Override
    public Optional<Instant> next(Instant after) {
        return everyHour ? nextMatching(after) : nextNamed(after);
    }

    /** The first instant whose local time matches. */
    private Optional<Instant> nextMatching(Instant after) {
        ZoneRules rules = zone.getRules();
        ZoneOffset offset = rules.getOffset(after);
        LocalDateTime from = LocalDateTime.ofInstant(after, offset);
        ZoneOffsetTransition change = rules.nextTransition(after);
        while (true) {
            Optional<LocalDateTime> fits = nextLocal(from);
            if (fits.isEmpty()) {
                return Optional.empty();
            }
            Instant due = fits.get().toInstant(offset);
            if (change == null || due.isBefore(change.getInstant())) {
                return Optional.of(due);
            }
            // Continue at the change, with the new offset. That very instant may match.
            offset = change.getOffsetAfter();
            from = change.getDateTimeAfter().minusNanos(1);
            change = rules.nextTransition(change.getInstant());
        }
    }

    /** The instant of the first named local time after this one, each named time once. */
    private Optional<Instant> nextNamed(Instant after) {
        ZoneRules rules = zone.getRules();
        LocalDateTime local = LocalDateTime.ofInstant(after, zone);
        List<ZoneOffset> offsets = rules.getValidOffsets(local);
        if (offsets.size() > 1 && rules.getOffset(after).equals(offsets.getLast())) {
            // The second pass through the overlap: all its times were due in the first.
            local = rules.getTransition(local).getDateTimeBefore().minusNanos(1);
        }
        return nextLocal(local).map(this::instant);
    }

    private Instant instant(LocalDateTime named) {
        ZoneRules rules = zone.getRules();
        List<ZoneOffset> offsets = rules.getValidOffsets(named);
        return offsets.isEmpty() ? rules.getTransition(named).getInstant() : named.toInstant(offsets.getFirst());
    }

    private Optional<LocalDateTime> nextLocal(LocalDateTime after) {
        return times.nextExecution(after.atZone(ZoneOffset.UTC)).map(ZonedDateTime::toLocalDateTime);
    }

    @Override
    public String toString() {
        return "%s in %s".formatted(expression, zone.getId());
    }

    private static OneRoofException refused(String field, String value, String allowed) {
        return new OneRoofException(
                ErrorCode.INVALID_INPUT,
                "%s: '%s' is not allowed; allowed is %s".formatted(field, shortened(value), allowed));
    }

    private static String shortened(String text) {
        return text.length() <= 80 ? text : text.substring(0, 80) + "…";
    }
}
