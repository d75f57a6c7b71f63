package io.hypersync.leader.syncstandby;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hypersync.leader.syncstandby.SyncRecord.Standing;
import io.hypersync.model.id.WorkerId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a leader remembers of the standbys that it has waited for. */
final class SyncRecordTest {
  private static final Standing SPARE =
      new Standing(new WorkerId("spare"), true, Degrade.BLOCK, 48_213, 1_764_331_200_000L);
  private static final Standing OTHER =
      new Standing(new WorkerId("other"), false, Degrade.ALONE, 7, 5);

  @Test
  void itIsReadAsItWasWritten() {
    SyncRecord both = SyncRecord.NONE.with(SPARE).with(OTHER);
    assertEquals(both, SyncRecord.parse(both.toText()));
    assertEquals(Optional.of(OTHER), both.of(OTHER.name()));
    assertEquals(SyncRecord.NONE, SyncRecord.parse(SyncRecord.NONE.toText()));
  }

  @Test
  void theLastWordOnAStandbyCounts() {
    Standing later = new Standing(SPARE.name(), false, Degrade.ALONE, 50_000, 6);
    assertEquals(List.of(later), SyncRecord.NONE.with(SPARE).with(later).standbys());
  }

  /** A start that took a damaged one for empty would show what a standby lacks. */
  @Test
  void whatIsDamagedIsNotPassedOver() {
    String good = SyncRecord.NONE.with(SPARE).toText();
    for (String bad :
        List.of(
            "",
            good.stripTrailing(),
            good + "\n",
            good + good.lines().toList().get(1) + "\n",
            good.replace(": 1\n", ": 2\n"),
            good.replace("spare", "../x"),
            good.replace("synchronous block", "Synchronous block"),
            good.replace("block", "perhaps"),
            good.replace("48213", "048213"),
            good.replace("48213", "99999999999999999999"))) {
      assertNull(SyncRecord.parse(bad), bad);
    }
  }
}
