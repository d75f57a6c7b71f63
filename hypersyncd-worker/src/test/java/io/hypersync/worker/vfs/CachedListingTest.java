package io.hypersync.worker.vfs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Which handle may use the kernel's cached listing, and when it is dropped
 * (docs/kernel-caching.md). "all" reads a listing from start to end; a step that makes the kernel
 * drop it says so.
 */
class CachedListingTest {
  private final CachedListing listing = new CachedListing();
  private long nowNs;

  static Stream<Arguments> histories() {
    return Stream.of(
        row("the first fills, the next read", "open all close open close open", "FILL READ READ"),
        row("one at a time", "open open all open", "FILL NONE NONE"),
        row("one at a time, reading", "open all close open open", "FILL READ NONE"),
        row("half read, and on", "open some close open all close open", "FILL FILL READ"),
        row("a change", "open all close change open all close open", "FILL REFILL READ"),
        row("a change while open, complete", "open all change", "FILL drop"),
        row("and read again", "open all change all", "FILL drop drop"),
        row("and by others", "open all change dropped all close open all", "FILL drop drop FILL"),
        row(
            "nobody gets what is being dropped",
            "open all change close open close open dropped close open",
            "FILL drop NONE NONE FILL"),
        row(
            "not even what its handle has filled anew",
            "open all change some close open dropped close open all",
            "FILL drop NONE FILL drop"),
        row("a change while it is opened", "open all close open invalidate", "FILL READ drop"),
        row("a second change", "open all change change", "FILL drop"),
        row(
            "a change while reading",
            "open all close open change dropped close open",
            "FILL READ drop FILL"),
        row("a change while half read", "open some change all", "FILL drop"),
        row(
            "and for the next",
            "open some change all close open all close open",
            "FILL drop FILL READ"),
        row("half read, a change, the next", "open some close change open all", "FILL FILL drop"),
        row(
            "and the one after",
            "open some close change open all close open all close open",
            "FILL FILL drop FILL READ"),
        row("part of it lost", "open all close open some all close open", "FILL READ READ"),
        row(
            "an hour later the names are forgotten",
            "open all close hour open all close open",
            "FILL REFILL READ"),
        row("an hour later, half read", "open some close hour open all", "FILL FILL drop"));
  }

  private static Arguments row(String what, String history, String expected) {
    return Arguments.of(what, history, expected);
  }

  @ParameterizedTest(name = "{0}: {1}: {2}")
  @MethodSource("histories")
  void holds(String what, String history, String expected) {
    StringBuilder seen = new StringBuilder();
    for (String step : List.of(history.split(" ", -1))) {
      switch (step) {
        case "open" -> seen.append(' ').append(listing.opened(nowNs));
        case "some" -> listing.filling();
        case "all" -> {
          listing.filling();
          seen.append(listing.completed() ? " drop" : "");
        }
        case "close" -> listing.closed();
        case "change" -> seen.append(listing.changed() ? " drop" : "");
        case "hour" -> nowNs += CachePolicy.KEEP_NS;
        case "dropped" -> listing.dropped();
        case "invalidate" -> seen.append(listing.invalidate() ? " drop" : "");
        default -> throw new IllegalArgumentException(step);
      }
    }
    assertEquals(expected, seen.toString().strip(), what);
  }
}
