package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.lineage.Term;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A state directory knows where it is led. */
final class HomeFileTest {
  @TempDir Path directory;

  private Path machine;
  private Path state;

  @BeforeEach
  void begin() throws IOException {
    machine = Files.writeString(directory.resolve("machine-id"), "aaaa\n");
    state = Files.createDirectory(directory.resolve("state"));
    HomeFile.require(state, false, machine);
  }

  private Path copy() throws IOException {
    Path copy = Files.createDirectory(directory.resolve("copy"));
    Files.copy(state.resolve("home"), copy.resolve("home"));
    return copy;
  }

  @Test
  void whereItWasLedFirstIsItsHome() throws IOException {
    HomeFile.require(state, false, machine);
    assertEquals(
        "hypersync-home: 1\nmachine: aaaa\npath: " + state.toRealPath() + "\n",
        Files.readString(state.resolve("home")));
  }

  @Test
  void aCopyIsNotLedAndSaysWhoseItIs() throws IOException {
    Path copy = copy();
    UserError error = assertThrows(UserError.class, () -> HomeFile.require(copy, false, machine));
    assertTrue(
        error.message().endsWith("it was last led as " + state.toRealPath()), error.message());
    assertTrue(error.hint().contains("--moved"), error.hint());
  }

  @Test
  void norOnAnotherMachineUnderTheSamePath() throws IOException {
    Files.writeString(machine, "bbbb\n");
    UserError error = assertThrows(UserError.class, () -> HomeFile.require(state, false, machine));
    assertTrue(error.message().endsWith("on another machine"), error.message());
  }

  @Test
  void whatWasMovedIsAtHomeFromThenOn() throws IOException {
    Path copy = copy();
    HomeFile.require(copy, true, machine);
    HomeFile.require(copy, false, machine);
  }

  @Test
  void aPathThroughALinkIsTheSameHome() throws IOException {
    Path link = Files.createSymbolicLink(directory.resolve("link"), state);
    HomeFile.require(link, false, machine);
  }

  @Test
  void aMachineWithoutIdHasOneAllTheSame() throws IOException {
    Files.delete(machine);
    Path other = Files.createDirectory(directory.resolve("other"));
    HomeFile.require(other, false, machine);
    HomeFile.require(other, false, machine);
  }

  @Test
  void aDamagedFileIsNobodysHome() throws IOException {
    for (String text : new String[] {"", "garbage", "hypersync-home: 1\n"}) {
      Files.writeString(state.resolve("home"), text);
      assertThrows(UserError.class, () -> HomeFile.require(state, false, machine), text);
      HomeFile.require(state, true, machine);
      HomeFile.require(state, false, machine);
    }
  }

  @Test
  void whatIsLedElsewhereFromNowOnIsLedInTheNextTerm() throws IOException {
    Path copy = copy();
    assertThrows(UserError.class, () -> HomeFile.require(copy, false, machine));
    assertEquals(Term.FIRST, TermFile.read(copy), "nothing was taken over");
    HomeFile.require(copy, true, machine);
    assertEquals(new Term(1), TermFile.read(copy));
    HomeFile.require(copy, true, machine);
    assertEquals(new Term(1), TermFile.read(copy), "a service may say it at each start");
    assertEquals(Term.FIRST, TermFile.read(state));
  }

  @Test
  void aStateThatWasNeverLedHasTheFirstTermWhereverItIs() throws IOException {
    Path fresh = Files.createDirectory(directory.resolve("fresh"));
    HomeFile.require(fresh, true, machine);
    assertEquals(Term.FIRST, TermFile.read(fresh));
  }

  /** Else two would be led in one term if the first attempt is cut short between the two files. */
  @Test
  void withoutTheNextTermItIsNotAtHome() throws IOException {
    Path copy = copy();
    Files.writeString(copy.resolve("term"), "garbage");
    assertThrows(UserError.class, () -> HomeFile.require(copy, true, machine));
    assertEquals(Files.readString(state.resolve("home")), Files.readString(copy.resolve("home")));
  }
}
