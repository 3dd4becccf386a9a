package dev.oneroof.core.feature;

import dev.oneroof.postgres.Database;
import java.util.List;

/** A check that the doctor makes, among others. It reads and changes nothing. */
public interface DoctorCheck {
    List<CheckResult> run(Database db);
}
