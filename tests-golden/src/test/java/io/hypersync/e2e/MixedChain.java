package io.hypersync.e2e;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * Calls to a few names that belong to nobody else, in directories that all share. They are made one
 * after the other, now on this mount and now on that one, so what each of them answers is known
 * beforehand. What comes, and where, is decided by a seed alone.
 */
final class MixedChain {
  static final int DIRECTORIES = 4;
  private static final int NAMES = 2;
  private static final int CHILDREN = 2;
  private static final int MAX_CALLS_OF_A_TURN = 12;
  private static final int REMEMBERED = 80;

  private final String prefix;
  private final Random random;
  private final MixedTree tree = new MixedTree();
  private final Deque<String> history = new ArrayDeque<>();
  private int turns;
  private int hops;
  private int texts;

  /**
   * One of which nothing is there yet.
   *
   * @param prefix what all its names begin with
   */
  MixedChain(String prefix, long seed) {
    this.prefix = prefix;
    random = new Random(seed);
    for (int d = 0; d < DIRECTORIES; d++) {
      var _ = tree.answer(MixedCall.of("mkdir", "d" + d));
    }
  }

  /** The file that has a byte for each time that this chain has changed its mount. */
  String baton() {
    return "batons/" + prefix;
  }

  /** What to do before the next hand-over. */
  List<MixedCall> nextTurn() {
    turns++;
    List<MixedCall> calls = new ArrayList<>();
    for (int i = 1 + random.nextInt(MAX_CALLS_OF_A_TURN); i > 0; i--) {
      calls.add(nextCall());
    }
    return calls;
  }

  /** Whether the next turn is the other mount's. */
  boolean moves() {
    boolean moves = random.nextInt(4) > 0;
    hops += moves ? 1 : 0;
    return moves;
  }

  /** How many times it has gone to the other mount. */
  int hops() {
    return hops;
  }

  /** Makes the call on the tree in memory, and fails if that says something else. */
  void judge(String mount, MixedCall call, String answer) {
    String expected = tree.answer(call);
    if (history.size() == REMEMBERED) {
      history.removeFirst();
    }
    history.addLast("turn %d on %s: %s -> %s".formatted(turns, mount, call, answer));
    if (!expected.equals(answer)) {
      throw new AssertionError(
          "%s on %s: expected %s, got %s; what was done before with these names:%n%s"
              .formatted(call, mount, expected, answer, String.join("\n", history)));
    }
  }

  /** Calls that show all that should be there. */
  List<MixedCall> everything() {
    List<MixedCall> calls = new ArrayList<>();
    for (int d = 0; d < DIRECTORIES; d++) {
      calls.add(MixedCall.of("list", "d" + d, prefix));
      for (int n = 0; n < NAMES; n++) {
        String path = "d" + d + "/" + prefix + n;
        for (String each : List.of(path, path + "/k0", path + "/k1")) {
          calls.add(MixedCall.of("lstat", each));
          calls.add(MixedCall.of("read", each));
        }
      }
    }
    return calls;
  }

  private MixedCall nextCall() {
    String path = path();
    return switch (random.nextInt(40)) {
      case 0, 1, 2 -> MixedCall.of("create", path);
      case 3 -> MixedCall.of("mkdir", path);
      case 4, 5, 6 -> MixedCall.of("rename", path, path());
      case 7, 8, 9, 10, 11, 12 -> MixedCall.of("unlink", path);
      case 13, 14, 15, 16, 17 -> MixedCall.of("rmdir", path);
      case 18, 19 -> MixedCall.of("link", path, path());
      case 20 -> MixedCall.of("symlink", target(), path);
      case 21 -> MixedCall.of("append", path, text());
      case 22 -> MixedCall.of("replace", path, text());
      case 23, 24, 25 -> MixedCall.of("read", path);
      case 26, 27, 28, 29 -> MixedCall.of("lstat", path);
      case 30, 31, 32, 33, 34 -> MixedCall.of("stat", path);
      case 35 -> MixedCall.of("readlink", path);
      case 36, 37 -> MixedCall.of("list", path, "");
      default -> MixedCall.of("list", "d" + random.nextInt(DIRECTORIES), prefix);
    };
  }

  /** A name in a shared directory, or one in a directory that may have that name. */
  private String path() {
    String path = "d" + random.nextInt(DIRECTORIES) + "/" + name();
    return random.nextInt(3) == 0 ? path + "/k" + random.nextInt(CHILDREN) : path;
  }

  private String target() {
    return "../d" + random.nextInt(DIRECTORIES) + "/" + name();
  }

  private String name() {
    return prefix + random.nextInt(NAMES);
  }

  private String text() {
    texts++;
    return "<" + texts + ">";
  }
}
