package dev.oneroof.app.http;

import dev.oneroof.core.liveness.Health;
import dev.oneroof.core.liveness.Instances;
import dev.oneroof.core.operator.FindingView;
import dev.oneroof.core.operator.MetricsView;
import dev.oneroof.core.operator.StatusReport;
import dev.oneroof.core.operator.StatusView;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The status page: the verdict first, then workers, instances, findings and dead letters. Plain HTML that reloads itself. */
final class StatusPage {
    private static final int MOST = 200;

    private final StringBuilder html = new StringBuilder();

    private StatusPage() {}

    static String render(Pipeline.Snapshot snapshot) {
        return new StatusPage().page(snapshot);
    }

    private String page(Pipeline.Snapshot snapshot) {
        StatusView status = snapshot.status();
        String tone = status == null || !status.healthy()
                ? "bad"
                : status.state().equals(StatusReport.WELL) ? "good" : "warn";
        html.append("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
                .append("<meta http-equiv=\"refresh\" content=\"5\">")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
                .append("<title>")
                .append(text(
                        tone.equals("good")
                                ? "OneRoof: well"
                                : "OneRoof: " + (status == null ? "unreachable" : status.state())))
                .append("</title>")
                .append("<link rel=\"stylesheet\" href=\"console.css\"></head><body>\n")
                .append("<header><h1>OneRoof</h1><p>instance ")
                .append(text(snapshot.instance()))
                .append(" · as of ")
                .append(time(snapshot.at()))
                .append("</p></header>\n<main>\n")
                .append("<p id=\"verdict\" class=\"")
                .append(tone)
                .append("\" role=\"status\">")
                .append(text(snapshot.verdict()))
                .append("</p>\n");
        if (status != null) {
            workers(status, snapshot.metrics());
            instances(snapshot.instances());
            findings(snapshot.findings());
            deadLetters(status);
        }
        return html.append("</main></body></html>\n").toString();
    }

    private void workers(StatusView status, MetricsView metrics) {
        List<Health.Line> lines = status.executors().stream()
                .filter(line -> !line.subject().startsWith("instance/"))
                .toList();
        section("workers", "Workers", lines.size(), "no worker is registered");
        table(
                lines,
                List.of("Worker", "State", "Since", "Lag", "Reason"),
                line -> List.of(
                        text(StatusReport.name(line)),
                        state(line.state()),
                        age(StatusReport.sinceSeconds(line)),
                        lag(line, metrics),
                        text(String.valueOf(line.reason()))));
    }

    private static String lag(Health.Line line, MetricsView metrics) {
        return metrics.cursors().stream()
                .filter(cursor -> line.subject().startsWith(cursor.worker() + "/" + cursor.source() + "/"))
                .map(cursor -> StatusReport.age(Math.round(cursor.lagSeconds())))
                .findFirst()
                .orElse("–");
    }

    private void instances(List<Instances.Instance> instances) {
        section("instances", "Instances", instances.size(), "no instance is running");
        table(
                instances,
                List.of("Instance", "State", "Last beat", "Scopes held", "Reason"),
                one -> List.of(
                        text(one.name()),
                        state(one.state()),
                        StatusReport.age(one.ageSeconds()) + " ago",
                        String.valueOf(one.holds()),
                        text(one.reason())));
    }

    private void findings(List<FindingView> findings) {
        section("findings", "Findings", findings.size(), "nothing is wrong");
        table(
                findings,
                List.of("Finding", "Severity", "Status", "First seen", "Count", "Summary"),
                finding -> List.of(
                        text(finding.type() + " " + finding.key()),
                        "<span class=\"%s\">%s</span>"
                                .formatted(
                                        finding.severity().compareTo(FindingView.Severity.MEDIUM) > 0 ? "bad" : "warn",
                                        finding.severity().name().toLowerCase(Locale.ROOT)),
                        finding.status().name().toLowerCase(Locale.ROOT),
                        time(finding.firstSeenAt()),
                        String.valueOf(finding.count()),
                        text(finding.summary())));
    }

    private void deadLetters(StatusView status) {
        List<Health.Line> letters = status.lines().stream()
                .filter(line -> line.source().startsWith("dead_letter"))
                .toList();
        section("dead-letters", "Dead letters", (int) Math.min(Integer.MAX_VALUE, status.deadLetters()), "none waits");
        table(
                letters,
                List.of("Type", "Of", "Domain", "Count", "Oldest"),
                line -> List.of(
                        line.source().substring("dead_letter_".length()),
                        text(line.subject()),
                        text(String.valueOf(line.domain())),
                        String.valueOf(line.count()),
                        age(line.sinceSeconds())));
    }

    private void section(String id, String title, int count, String none) {
        html.append("<h2 id=\"")
                .append(id)
                .append("\">")
                .append(title)
                .append(" <small>")
                .append(count)
                .append("</small></h2>\n");
        if (count == 0) {
            html.append("<p class=\"none\">").append(none).append("</p>\n");
        }
    }

    private interface Cells<T> {
        List<String> of(T row);
    }

    private <T> void table(List<T> rows, List<String> headings, Cells<T> cells) {
        if (rows.isEmpty()) {
            return;
        }
        html.append("<table><thead><tr>");
        headings.forEach(
                heading -> html.append("<th scope=\"col\">").append(heading).append("</th>"));
        html.append("</tr></thead><tbody>\n");
        rows.stream().limit(MOST).forEach(row -> {
            html.append("<tr>");
            cells.of(row).forEach(cell -> html.append("<td>").append(cell).append("</td>"));
            html.append("</tr>\n");
        });
        html.append("</tbody></table>\n");
        if (rows.size() > MOST) {
            html.append("<p class=\"none\">").append(rows.size() - MOST).append(" more are not shown</p>\n");
        }
    }

    private static String state(@Nullable String state) {
        String tone = switch (String.valueOf(state)) {
            case "dead", "silent", "stuck" -> "bad";
            case "unwatched", "held", "behind" -> "warn";
            default -> "good";
        };
        return "<span class=\"%s\">%s</span>".formatted(tone, text(String.valueOf(state)));
    }

    private static String age(@Nullable Long seconds) {
        return seconds == null ? "–" : StatusReport.age(seconds);
    }

    private static String time(Instant at) {
        String exact = at.truncatedTo(ChronoUnit.SECONDS).toString();
        return "<time datetime=\"%1$s\">%1$s</time>".formatted(exact);
    }

    /** Whatever a worker or an operator wrote is shown as text. */
    private static String text(String raw) {
        StringBuilder safe = new StringBuilder();
        raw.chars().forEach(c -> {
            switch (c) {
                case '&' -> safe.append("&amp;");
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                case '"' -> safe.append("&quot;");
                case '\'' -> safe.append("&#39;");
                default -> safe.append((char) c);
            }
        });
        return safe.toString();
    }
}
