package io.hypersync.worker.vfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.worker.vfs.KeptListing.Use;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which handle may use the kernel's copy of a listing (docs/kernel-caching.md). */
class KeptListingTest {
  private final KeptListing listing = new KeptListing();
  private long nowNs;
  private long epoch;

  static Stream<Arguments> histories() {
    return Stream.of(
        row("the first fills", "open", Use.FILL),
        row("the next reads", "open close open", Use.READ),
        row("and those after it", "open close open close open", Use.READ),
        row("one at a time, filling", "open open", Use.NONE),
        row("one at a time, reading", "open close open open", Use.NONE),
        row("a change", "open close change open", Use.FILL),
        row("a change while it is filled", "open change close open", Use.FILL),
        row("a change while it is filled, and it still is", "open change open", Use.NONE),
        row("a change while it is read", "open close open change close open", Use.FILL),
        row("filled again after a change", "open close change open close open", Use.READ),
        row("an hour later the names are forgotten", "open close hour open", Use.FILL),
        row("an hour later, for the next", "open close hour open close open", Use.READ),
        row("names are distrusted", "open close distrust open", Use.FILL));
  }

  private static Arguments row(String what, String history, Use last) {
    return Arguments.of(what, history, last);
  }

  @ParameterizedTest(name = "{0}: {1}: {2}")
  @MethodSource("histories")
  void theLastOne(String what, String history, Use last) {
    Use use = Use.NONE;
    for (String step : List.of(history.split(" ", -1))) {
      switch (step) {
        case "open" -> use = listing.opened(nowNs, epoch);
        case "close" -> listing.closed();
        case "change" -> listing.changed();
        case "hour" -> nowNs += CachePolicy.KEEP_NS;
        case "distrust" -> epoch++;
        default -> throw new IllegalArgumentException(step);
      }
    }
    assertEquals(last, use, what);
  }

  @Test
  void thereMayBeACopyUntilItIsTakenAndNobodyCanFillIt() {
    assertFalse(listing.take(), "nobody has opened it");
    listing.opened(0, 0);
    assertTrue(listing.take());
    assertTrue(listing.take(), "still open");
    listing.closed();
    assertTrue(listing.take(), "filled since");
    assertFalse(listing.take(), "dropped and closed");
  }
}
