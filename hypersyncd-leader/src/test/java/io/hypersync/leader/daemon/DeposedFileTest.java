package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.lineage.Deposition;
import io.hypersync.leader.lineage.Lineage;
import io.hypersync.leader.lineage.Term;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.admin.UserError;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A leader that has learnt of another one remembers it. */
final class DeposedFileTest {
  private static final Deposition BY_TERM_3 = new Deposition(0, 3, new WorkerId("fmd"));

  @TempDir Path stateDir;

  private String refused(Optional<String> rewind) {
    return assertThrows(UserError.class, () -> DeposedFile.refuse(stateDir, rewind)).message();
  }

  @Test
  void aStateThatNobodyHasTakenOverIsLed() {
    assertEquals(Optional.empty(), DeposedFile.read(stateDir));
    DeposedFile.refuse(stateDir, Optional.empty());
  }

  @Test
  void oneThatWasTakenOverIsNotLedAgainAndSaysWhy() {
    DeposedFile.write(stateDir, BY_TERM_3);
    assertEquals(Optional.of(BY_TERM_3), DeposedFile.read(stateDir));
    assertTrue(DeposedFile.isDeposed(stateDir));
    String message = refused(Optional.empty());
    assertTrue(message.contains("worker fmd has seen it, in term 3"), message);
  }

  @Test
  void aRewindGivesUpWhatTheOtherLeaderHas() {
    DeposedFile.write(stateDir, BY_TERM_3);
    DeposedFile.refuse(stateDir, Optional.of("on purpose"));
    Lineage rewound = LineageFile.rewind(stateDir, Lineage.FIRST, 7, "on purpose");
    assertEquals(Optional.empty(), DeposedFile.read(stateDir));
    DeposedFile.write(stateDir, new Deposition(rewound.id(), 9, new WorkerId("yto")));
    String again = refused(Optional.of("on purpose"));
    assertTrue(again.contains("in term 9"), "a service says the name at each start: " + again);
  }

  @Test
  void whatConcernsAnotherLineageOrALowerTermDoesNotCount() {
    DeposedFile.write(stateDir, new Deposition(5, 3, new WorkerId("fmd")));
    assertFalse(DeposedFile.isDeposed(stateDir));
    DeposedFile.write(stateDir, BY_TERM_3);
    TermFile.takeOver(stateDir, new Term(3));
    DeposedFile.refuse(stateDir, Optional.empty());
  }

  @Test
  void aDamagedFileIsNotLed() throws Exception {
    Files.writeString(stateDir.resolve("deposed"), "hypersync-deposed: 1\n");
    assertTrue(refused(Optional.empty()).endsWith("deposed is damaged"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "hypersync-deposed: 2\nlineage: 0000000000000000\nterm: 3\nworker: fmd\n",
        "hypersync-deposed: 1\nlineage: 0\nterm: 3\nworker: fmd\n",
        "hypersync-deposed: 1\nlineage: 0000000000000000\nterm: -3\nworker: fmd\n",
        "hypersync-deposed: 1\nlineage: 0000000000000000\nterm: 4611686018427387905\nworker: fmd\n",
        "hypersync-deposed: 1\nlineage: 0000000000000000\nterm: 3\nworker: a/b\n",
        "hypersync-deposed: 1\nlineage: 0000000000000000\nterm: 3\nworker: fmd",
        "hypersync-deposed: 1\nlineage: 0000000000000000\nterm: 3\nworker: fmd\nmore\n"
      })
  void anythingElseIsNone(String text) {
    assertNull(Deposition.parse(text));
  }
}
