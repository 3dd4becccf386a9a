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

/** What is wrong with a command line, in our words: the option or the parameter first, then the value and what is allowed. */
final class Mistakes {
    private Mistakes() {}

    static String told(ParameterException mistake) {
        ArgSpec of = mistake.getArgSpec();
        if (of != null && mistake.getCause() instanceof TypeConversionException wrong) {
            return "%s: %s"
                    .formatted(name(of), of.type().isEnum() ? allowed(of, mistake.getValue()) : wrong.getMessage());
        }
        ArgGroupSpec group = mistake instanceof MissingParameterException missing ? choice(missing) : null;
        return group == null
                ? firstLine(mistake)
                : "missing is one of: %s".formatted(alternatives(group).collect(Collectors.joining(", ")));
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

    /** The group of which one is to be given, where that is what is missing. */
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
                group.args().stream().map(Mistakes::name),
                group.subgroups().stream()
                        .flatMap(sub ->
                                sub.args().stream().filter(ArgSpec::required).map(Mistakes::name)));
    }

    private static String firstLine(Exception e) {
        String message = String.valueOf(e.getMessage());
        // Some of the library's begin so, and most do not.
        return message.lines().findFirst().orElse(message).replaceFirst("^Error: ", "");
    }
}
