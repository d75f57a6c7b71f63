package io.hypersync.sim.check.history;

import static io.hypersync.sim.check.history.Verdict.LINEARIZABLE;
import static io.hypersync.sim.check.history.Verdict.WRONG;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Histories as tables. A call is {@code begin-end what}; {@code begin-} means that its outcome is
 * unknown.
 */
class LinearizabilityTest {
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          nothing at all                            | LINEARIZABLE |
          a read of nothing                         | LINEARIZABLE | 1-2 r0
          a read of what was written                | LINEARIZABLE | 1-2 w7; 3-4 r7
          a read of what was written before         | WRONG        | 1-2 w7; 3-4 w8; 5-6 r7
          a read that misses a write                | WRONG        | 1-2 w7; 3-4 r0
          a read during a write sees the old        | LINEARIZABLE | 1-4 w7; 2-3 r0
          or the new                                | LINEARIZABLE | 1-4 w7; 2-3 r7
          but not first the new and then the old    | WRONG        | 1-6 w7; 2-3 r7; 4-5 r0
          two readers at once may see it so         | LINEARIZABLE | 1-6 w7; 2-5 r7; 3-4 r0
          of two writes at once either is the last  | LINEARIZABLE | 1-4 w7; 2-3 w8; 5-6 r7
          but all agree which                       | WRONG        | 1-4 w7; 2-3 w8; 5-6 r7; 7-8 r8
          a value that nobody wrote                 | WRONG        | 1-2 w7; 3-4 r9
          a value from the future                   | WRONG        | 1-2 r7; 3-4 w7
          a write of unknown end happens late       | LINEARIZABLE | 1- w7; 2-3 r0; 4-5 r7
          or never                                  | LINEARIZABLE | 1- w7; 2-3 r0; 4-5 r0
          but once, and not before it was made      | WRONG        | 1-2 r7; 3- w7
          nor is it undone                          | WRONG        | 1- w7; 2-3 r7; 4-5 r0
          nor done again                            | WRONG        | 1- w7; 2-3 r7; 4-5 w8; 6-7 r7
          a read of unknown end says nothing        | LINEARIZABLE | 1-2 w7; 3- r9; 4-5 r7
          """)
  void registers(String what, Verdict verdict, @Nullable String calls) {
    assertEquals(verdict, Linearizability.check(new Register(), register(calls)), what);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a name is made and found                   | LINEARIZABLE | 1-2 create a 5; 3-4 look a 5
          another file is found                      | WRONG        | 1-2 create a 5; 3-4 look a 6
          what was unlinked is gone                  | LINEARIZABLE | 1-2 create a 5; 3-4 unlink a ok; 5-6 look a -
          and is not found                           | WRONG        | 1-2 create a 5; 3-4 unlink a ok; 5-6 look a 5
          only one of two can make it                | WRONG        | 1-4 create a 5; 2-3 create a 6
          the other is told that it exists           | LINEARIZABLE | 1-4 create a 5; 2-3 create a !
          nothing exists before it is made           | WRONG        | 1-2 create a !; 3-4 create a 5
          only one of two can unlink it              | WRONG        | 1-2 create a 5; 3-6 unlink a ok; 4-5 unlink a ok
          a rename takes the old name                | LINEARIZABLE | 1-2 create a 5; 3-4 rename a b ok; 5-6 look a -; 7-8 look b 5
          both names at once                         | WRONG        | 1-2 create a 5; 3-4 rename a b ok; 5-6 look a 5
          neither name, one after the other          | WRONG        | 1-2 create a 5; 3-8 rename a b ok; 4-5 look b 5; 6-7 look a 5
          old first and then new is fine             | LINEARIZABLE | 1-2 create a 5; 3-8 rename a b ok; 4-5 look a 5; 6-7 look b 5
          a rename replaces                          | LINEARIZABLE | 1-2 create a 5; 3-4 create b 6; 5-6 rename a b ok; 7-8 look b 5
          a rename of nothing                        | LINEARIZABLE | 1-2 rename a b -; 3-4 create a 5
          a rename of nothing that succeeds          | WRONG        | 1-2 rename a b ok
          a file of unknown maker may be there       | LINEARIZABLE | 1- create a ?; 2-3 look a 9; 4-5 look a 9
          or not                                     | LINEARIZABLE | 1- create a ?; 2-3 look a -; 4-5 create a 5
          but is one file                            | WRONG        | 1- create a ?; 2-3 look a 9; 4-5 look a 8
          a create that is told EEXIST of it         | LINEARIZABLE | 1- create a ?; 2-3 create a !
          an unlink of unknown end                   | LINEARIZABLE | 1-2 create a 5; 3- unlink a ?; 4-5 look a 5; 6-7 look a -
          is not undone                              | WRONG        | 1-2 create a 5; 3- unlink a ?; 4-5 look a -; 6-7 look a 5
          """)
  void directories(String what, Verdict verdict, String calls) {
    assertEquals(verdict, Linearizability.check(new Directory(), directory(calls)), what);
  }

  /**
   * Overlapping calls of a real register are linearizable; after one answer is forged, they are
   * not.
   */
  @Test
  void randomHistoriesOfARealRegisterAreExplainedAndForgedOnesAreNot() {
    long seed = new SplittableRandom().nextLong(1L << 40);
    System.out.println("histories from seed " + seed);
    for (int i = 0; i < 200; i++) {
      SplittableRandom random = new SplittableRandom(seed + i);
      List<Call<Register.Input, Long>> calls = real(random, 30);
      assertEquals(
          LINEARIZABLE, Linearizability.check(new Register(), calls), "seed " + (seed + i));
      int forged = random.nextInt(calls.size());
      Call<Register.Input, Long> call = calls.get(forged);
      calls.set(
          forged,
          new Call<>(call.process(), new Register.Read(), -1L, call.calledAt(), call.answeredAt()));
      if (call.answeredAt() != Call.NEVER) {
        assertEquals(WRONG, Linearizability.check(new Register(), calls), "seed " + (seed + i));
      }
    }
  }

  @Test
  void aSearchThatTakesTooLongIsGivenUp() {
    List<Call<Register.Input, Long>> calls = new ArrayList<>();
    for (int i = 1; i <= 30; i++) {
      calls.add(new Call<>("p" + i, new Register.Write(i), (long) i, i, 1_000));
    }
    calls.add(new Call<>("r", new Register.Read(), -1L, 1_001, 1_002));
    assertEquals(Verdict.UNDECIDED, Linearizability.check(new Register(), calls));
  }

  private static List<Call<Register.Input, Long>> real(SplittableRandom random, int count) {
    List<Call<Register.Input, Long>> calls = new ArrayList<>();
    long value = Register.NOTHING;
    for (int i = 0; i < count; i++) {
      long happens = 10L * i + 1_000; // each at a distinct time
      long called = happens - random.nextInt(1, 40);
      boolean unknown = random.nextInt(10) == 0;
      long answered = unknown ? Call.NEVER : happens + random.nextInt(1, 40);
      boolean writes = random.nextBoolean();
      value = writes && !(unknown && random.nextBoolean()) ? i + 1 : value;
      calls.add(
          new Call<>(
              "p" + i,
              writes ? new Register.Write(i + 1) : new Register.Read(),
              unknown ? null : writes ? Long.valueOf(i + 1) : Long.valueOf(value),
              called,
              answered));
    }
    return calls;
  }

  private static List<Call<Register.Input, Long>> register(@Nullable String text) {
    List<Call<Register.Input, Long>> calls = new ArrayList<>();
    for (String[] words : words(text)) {
      long value = Long.parseLong(words[1].substring(1));
      Register.Input input =
          words[1].charAt(0) == 'w' ? new Register.Write(value) : new Register.Read();
      calls.add(call(words[0], input, value));
    }
    return calls;
  }

  private static List<Call<Directory.Input, Directory.Output>> directory(String text) {
    List<Call<Directory.Input, Directory.Output>> calls = new ArrayList<>();
    for (String[] words : words(text)) {
      Directory.Input input =
          switch (words[1]) {
            case "create" -> new Directory.Create(words[2]);
            case "look" -> new Directory.Lookup(words[2]);
            case "unlink" -> new Directory.Unlink(words[2]);
            case "rename" -> new Directory.Rename(words[2], words[3]);
            default -> throw new IllegalArgumentException(words[1]);
          };
      Directory.Output output =
          switch (words[words.length - 1]) {
            case "ok", "?" -> new Directory.Done();
            case "-" -> new Directory.Missing();
            case "!" -> new Directory.Exists();
            default -> new Directory.Found(Long.parseLong(words[words.length - 1]));
          };
      calls.add(call(words[0], input, output));
    }
    return calls;
  }

  private static <I, O> Call<I, O> call(String times, I input, O output) {
    int dash = times.indexOf('-');
    long called = Long.parseLong(times.substring(0, dash));
    String end = times.substring(dash + 1);
    return end.isEmpty()
        ? new Call<>("p", input, null, called, Call.NEVER)
        : new Call<>("p", input, output, called, Long.parseLong(end));
  }

  private static List<String[]> words(@Nullable String text) {
    return text == null
        ? List.of()
        : List.of(text.split(";", -1)).stream().map(call -> call.strip().split(" +", -1)).toList();
  }
}
