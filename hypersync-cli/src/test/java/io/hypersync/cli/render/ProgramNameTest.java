package io.hypersync.cli.render;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the program is called where it is installed. */
final class ProgramNameTest {
  @ParameterizedTest
  @CsvSource({
    "./hypersync status,                 hypersync status",
    "Say so: ./hypersync token w1,       Say so: hypersync token w1",
    "'(./hypersync gc --run)',           '(hypersync gc --run)'",
    "a && ./hypersync b; ./hypersync c,  a && hypersync b; hypersync c",
    "./hypersync.toml,                   ./hypersync.toml",
    "./hypersync/etc,                    ./hypersync/etc",
    "dir./hypersync x,                   dir./hypersync x",
    "../hypersync x,                     ../hypersync x",
    "nothing,                            nothing",
  })
  void itTakesThePlaceOfTheOneInASourceTree(String text, String installed) {
    assertEquals(installed, ProgramName.installed(text));
  }

  @Test
  void inASourceTreeNothingChanges() {
    assertEquals("See: ./hypersync --help", ProgramName.in("See: ./hypersync --help"));
  }
}
