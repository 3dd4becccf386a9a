package dev.oneroof.app.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** Describes a usage error: the option or parameter first, then the value and what is allowed. */
final class UsageErrors {
    private UsageErrors() {}

    static String describe(ParameterException error) {
        ArgSpec of = error.getArgSpec();
        if (of != null && error.getCause() instanceof TypeConversionException wrong) {
            return "%s: %s"
                    .formatted(name(of), of.type().isEnum() ? allowed(of, error.getValue()) : wrong.getMessage());
        }
        ArgGroupSpec group = error instanceof MissingParameterException missing ? choice(missing) : null;
        return group == null
                ? firstLine(error)
                : "missing one of: %s".formatted(alternatives(group).collect(Collectors.joining(", ")));
    }

    private static String name(ArgSpec of) {
        return of instanceof OptionSpec option ? option.longestName() : of.paramLabel();
    }

    private static String allowed(ArgSpec of, @Nullable String value) {
        return "'%s' is not allowed; allowed are %s"
                .formatted(
                        value,
                        Arrays.stream(of.type().getEnumConstants())
                                .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(", ")));
    }

    /** The exclusive group of which one option is missing; null where something else is. */
    private static @Nullable ArgGroupSpec choice(MissingParameterException missing) {
        return missing.getCommandLine().getCommandSpec().argGroups().stream()
                .filter(group -> group.exclusive() && group.multiplicity().min() > 0)
                .filter(group -> missing.getMissing().stream()
                        .allMatch(arg -> group.allOptionsNested().contains(arg)
                                || group.allPositionalParametersNested().contains(arg)))
                .findFirst()
                .orElse(null);
    }

    private static Stream<String> alternatives(ArgGroupSpec group) {
        return Stream.concat(
                group.args().stream().map(UsageErrors::name),
                group.subgroups().stream()
                        .flatMap(sub ->
                                sub.args().stream().filter(ArgSpec::required).map(UsageErrors::name)));
    }

    private static String firstLine(Exception e) {
        String message = String.valueOf(e.getMessage());
        // Some messages of picocli start with it, most do not.
        return message.lines().findFirst().orElse(message).replaceFirst("^Error: ", "");
    }
}
