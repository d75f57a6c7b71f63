package io.hypersync.runtime.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What follows from samples: how fast it goes, and how long the rest takes. */
class ProgressMeterTest {
  private static final long MS = 1_000_000;

  private final ProgressMeter meter = new ProgressMeter();

  /** Samples are {@code seconds:done/goal}. */
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "nothing is known at first,             '',                              500, , ",
    "nor after one sample,                  '0:100/500',                     400, , ",
    "nothing is left,                       '0:500/500',                     0,   , 0",
    "a goal that stands,                    '0:0/500 1:100/500',             400, 100, 4000",
    "a goal that moves away,                '0:0/500 1:100/550',             450, 100, 9000",
    "a goal that is never reached,          '0:0/500 1:100/600',             500, 100, ",
    "no progress,                           '0:100/500 1:100/500',           400, 0, ",
    "the middle does not count,             '0:0/900 1:700/900 4:800/900',   100, 200, 500",
    "what is older than ten seconds is not, '0:0/900 2:700/900 12:800/900',  100, 10, 10000",
    "a pause longer than that,              '0:0/900 60:600/900',            300, 10, 30000",
    "it begins anew with less,              '0:700/900 1:800/900 2:10/900',  890, , ",
    "and is measured from there,            '0:700/900 2:10/900 3:110/900',  790, 100, 7900",
    "done with a goal behind,               '0:0/500 1:600/500',             0,   600, 0",
  })
  void ratesAndTimes(String what, String samples, long left, Double perSecond, Long msLeft) {
    long goal = 500;
    for (String sample : samples.isEmpty() ? new String[0] : samples.split(" ", -1)) {
      String[] parts = sample.split("[:/]", -1);
      goal = Long.parseLong(parts[2]);
      meter.sample(Long.parseLong(parts[0]) * 1_000 * MS, Long.parseLong(parts[1]), goal);
    }
    assertEquals(new Progress(left, perSecond, msLeft), meter.towards(goal), what);
  }

  @Test
  void aRateThatChangesIsFollowedWithinTenSeconds() {
    long done = 0;
    for (int ms = 0; ms <= 30_000; ms += 10) {
      done += ms < 15_000 ? 100 : 1;
      meter.sample(ms * MS, done, 0);
    }
    assertEquals(100, meter.towards(0).roundedPerSecond());
  }

  @Test
  void aClearedMeterKnowsNothing() {
    meter.sample(0, 0, 500);
    meter.sample(1_000 * MS, 100, 500);
    meter.clear();
    assertNull(meter.towards(500).perSecond());
  }

  @Test
  void theReportHasNullForWhatIsNotKnown() {
    assertEquals(
        "{\"entries_behind\":5,\"entries_per_s\":null,\"ms_left\":null}",
        new Progress(5, null, null).catchUp().toString());
    assertEquals(
        "{\"entries_behind\":5,\"entries_per_s\":1.7,\"ms_left\":3000}",
        new Progress(5, 1.666, 3_000L).catchUp().toString());
  }
}
