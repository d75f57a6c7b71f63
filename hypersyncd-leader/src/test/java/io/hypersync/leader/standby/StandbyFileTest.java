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
  private static final StandbyFile STANDBY = new StandbyFile(new WorkspaceId(1, 2), -7, 3, true);

  @TempDir Path directory;

  @Test
  void itIsReadAsItWasWritten() {
    assertEquals(Optional.empty(), StandbyFile.read(directory));
    STANDBY.write(directory);
    assertEquals(Optional.of(STANDBY), StandbyFile.read(directory));
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
            good.replace("standby: 1", "standby: 2"),
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
