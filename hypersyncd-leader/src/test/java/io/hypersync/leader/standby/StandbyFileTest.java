package io.hypersync.leader.standby;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What makes a state directory a standby's. */
final class StandbyFileTest {
  private static final StandbyFile STANDBY =
      new StandbyFile(
          new WorkspaceId(1, 2), -7, 3, true, new Waited(Waited.State.SYNCHRONOUS, 10_000));

  @TempDir Path directory;

  @Test
  void itIsReadAsItWasWritten() {
    assertEquals(Optional.empty(), StandbyFile.read(directory));
    STANDBY.write(directory);
    assertEquals(Optional.of(STANDBY), StandbyFile.read(directory));
  }

  /** A standby of an earlier version was waited for by nobody. */
  @Test
  void version1IsReadAsItWas() throws IOException {
    String old =
        STANDBY
            .toText()
            .replace("standby: 2", "standby: 1")
            .replace("waited: synchronous\nalone-after-ms: 10000\n", "");
    Files.writeString(directory.resolve("standby"), old);
    StandbyFile read = StandbyFile.read(directory).orElseThrow();
    assertEquals(new StandbyFile(new WorkspaceId(1, 2), -7, 3, true, Waited.NOT), read);
    read.write(directory);
    assertEquals(Optional.of(read), StandbyFile.read(directory));
  }

  @Test
  void noLeaderLeadsTheStateOfAStandby() throws IOException {
    StandbyFile.refuse(directory);
    STANDBY.write(directory);
    UserError error = assertThrows(UserError.class, () -> StandbyFile.refuse(directory));
    assertTrue(error.hint().contains("./hypersync promote"), error.hint());
    StandbyFile.remove(directory);
    StandbyFile.refuse(directory);
  }

  /** Else a standby that is damaged would be led as it is. */
  @Test
  void whatIsDamagedIsNotPassedOver() throws IOException {
    String good = STANDBY.toText();
    for (String bad :
        List.of(
            "",
            "garbage",
            good.replace("standby: 2", "standby: 1"),
            good.replace("standby: 2", "standby: 3"),
            good.replace("waited: synchronous", "waited: SYNCHRONOUS"),
            good.replace("waited: synchronous", "waited: perhaps"),
            good.replace("alone-after-ms: 10000", "alone-after-ms: -1"),
            good.replace("alone-after-ms: 10000\n", ""),
            good.replace("term: 3", "term: -3"),
            good.replace("term: 3", "term: 03"),
            good.replace("lineage: f", "lineage: "),
            good.replace("followed: true", "followed: yes"),
            good.replace("followed: true\n", ""),
            good.stripTrailing(),
            good + "more\n")) {
      Files.writeString(directory.resolve("standby"), bad);
      assertThrows(UserError.class, () -> StandbyFile.refuse(directory), bad);
    }
  }
}
