package io.hypersync.e2e.load;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A chain of calls on a few names that no other chain uses, in directories that others use, too.
 * The calls are made one after another, some on one mount and some on the other, so the answer to
 * each is known beforehand. The seed alone determines the calls and their mounts.
 */
public final class MixedChain {
  private static final int DIRECTORIES = 4;
  private static final int NAMES = 2;
  private static final int CHILDREN = 2;
  private static final int MAX_CALLS_OF_A_TURN = 12;
  private static final int REMEMBERED = 80;

  private final Kind kind;
  private final String prefix;
  private final String directory;
  private final Random random;
  private final MixedTree tree = new MixedTree();
  private final Deque<String> history = new ArrayDeque<>();
  private int turns;
  private int hops;
  private int texts;

  /**
   * How much of the directories the kernels can cache. A kernel caches no names of a directory in
   * which its own host has changed names within the last second (docs/kernel-caching.md).
   */
  public enum Kind {
    /** Both mounts constantly change all directories: hardly any name is cached. */
    BUSY,
    /**
     * Each directory is changed through one mount and read through both: the other mount caches its
     * names.
     */
    ONE_SIDED,
    /** The chain has directories of its own, and rests between turns: all names are cached. */
    QUIET
  }

  /**
   * Creates a chain none of whose names exist yet.
   *
   * @param prefix of all its names
   */
  public MixedChain(Kind kind, String prefix, long seed) {
    this.kind = kind;
    this.prefix = prefix;
    directory = kind == Kind.QUIET ? "quiet-" + prefix : kind.name().toLowerCase(Locale.ROOT) + "-";
    random = new Random(seed);
    directories().forEach(name -> tree.answer(MixedCall.of("mkdir", name)));
  }

  /** The directories that must exist. */
  public List<String> directories() {
    return IntStream.range(0, DIRECTORIES).mapToObj(number -> directory + number).toList();
  }

  /** How long the chain rests between two turns. */
  public Duration rest() {
    return kind == Kind.QUIET ? Duration.ofMillis(1_000 + random.nextInt(500)) : Duration.ZERO;
  }

  /** The file that has a byte for each move of this chain to another mount. */
  public String baton() {
    return "batons/" + prefix;
  }

  /**
   * The calls before the next hand-over.
   *
   * @param side 0 or 1: the mount on which they are made
   */
  public List<MixedCall> nextTurn(int side) {
    turns++;
    List<MixedCall> calls = new ArrayList<>();
    for (int i = 1 + random.nextInt(MAX_CALLS_OF_A_TURN); i > 0; i--) {
      calls.add(nextCall(side));
    }
    return calls;
  }

  /** Decides whether the next turn is on the other mount. */
  public boolean moves() {
    boolean moves = random.nextInt(4) > 0;
    hops += moves ? 1 : 0;
    return moves;
  }

  /** Number of moves to the other mount. */
  public int hops() {
    return hops;
  }

  /** Applies the call to the tree in memory, and fails if that gives another answer. */
  public void judge(String mount, MixedCall call, String answer) {
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

  /** Calls that show everything that should exist. */
  public List<MixedCall> everything() {
    List<MixedCall> calls = new ArrayList<>();
    for (String each : directories()) {
      calls.add(MixedCall.of("list", each, prefix));
      for (int n = 0; n < NAMES; n++) {
        String path = each + "/" + prefix + n;
        for (String name : List.of(path, path + "/k0", path + "/k1")) {
          calls.add(MixedCall.of("lstat", name));
          calls.add(MixedCall.of("read", name));
        }
      }
    }
    return calls;
  }

  private MixedCall nextCall(int side) {
    String path = path(directory());
    String here = path(directoryToChange(side));
    return switch (random.nextInt(40)) {
      case 0, 1, 2 -> MixedCall.of("create", here);
      case 3 -> MixedCall.of("mkdir", here);
      case 4, 5, 6 -> MixedCall.of("rename", here, path(directoryToChange(side)));
      case 7, 8, 9, 10, 11, 12 -> MixedCall.of("unlink", here);
      case 13, 14, 15, 16, 17 -> MixedCall.of("rmdir", here);
      case 18, 19 -> MixedCall.of("link", path, here);
      case 20 -> MixedCall.of("symlink", "../" + directory() + "/" + name(), here);
      case 21 -> MixedCall.of("append", path, text());
      case 22 -> MixedCall.of("replace", here, text());
      case 23, 24, 25 -> MixedCall.of("read", path);
      case 26, 27, 28, 29 -> MixedCall.of("lstat", path);
      case 30, 31, 32, 33, 34 -> MixedCall.of("stat", path);
      case 35 -> MixedCall.of("readlink", path);
      case 36, 37 -> MixedCall.of("list", path, "");
      default -> MixedCall.of("list", directory(), prefix);
    };
  }

  /** A name in a directory, or a name below it in a directory that may have that name. */
  private String path(String in) {
    String path = in + "/" + name();
    return random.nextInt(3) == 0 ? path + "/k" + random.nextInt(CHILDREN) : path;
  }

  private String directory() {
    return directory + random.nextInt(DIRECTORIES);
  }

  private String directoryToChange(int side) {
    int number = random.nextInt(DIRECTORIES);
    return directory + (kind == Kind.ONE_SIDED ? number / 2 * 2 + side : number);
  }

  private String name() {
    return prefix + random.nextInt(NAMES);
  }

  private String text() {
    texts++;
    return "<" + texts + ">";
  }
}
