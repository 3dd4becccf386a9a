package dev.oneroof.app.cli;

import dev.oneroof.core.lease.Scope;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A cursor as WORKER/SOURCE or WORKER/SOURCE/SHARD. */
public final class ScopeConverter implements ITypeConverter<Scope> {
    @Override
    public Scope convert(String text) {
        String[] parts = text.split("/", -1);
        try {
            if ((parts.length == 2 || parts.length == 3) && !parts[0].isEmpty() && !parts[1].isEmpty()) {
                return new Scope(parts[0], parts[1], parts.length == 3 ? Integer.parseInt(parts[2]) : 0);
            }
        } catch (NumberFormatException e) {
            // the same answer as for too many parts
        }
        throw new TypeConversionException(
                "'%s' is not allowed; allowed is WORKER/SOURCE or WORKER/SOURCE/SHARD".formatted(text));
    }
}
