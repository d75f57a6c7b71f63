package io.hypersync.sim.check.history;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Model of a directory: names and the files that they lead to. A file whose creation had an unknown
 * outcome takes the inode number with which it is first seen.
 */
public final class Directory
    implements Model<Map<String, Long>, Directory.Input, Directory.Output> {
  /** A file whose inode number no caller has been given yet. */
  private static final long SOME = -1;

  public Directory() {}

  /** The calls. */
  public sealed interface Input {}

  /** Creates a file; fails if the name exists. */
  public record Create(String name) implements Input {}

  /** Removes a name. */
  public record Unlink(String name) implements Input {}

  /** Renames a file, replacing what {@code to} led to. */
  public record Rename(String from, String to) implements Input {}

  /** Asks for the inode number of a name. */
  public record Lookup(String name) implements Input {}

  /** The answers. */
  public sealed interface Output {}

  /** The call succeeded. */
  public record Done() implements Output {}

  /** The call created or found the file with this inode number. */
  public record Found(long file) implements Output {}

  /** EEXIST. */
  public record Exists() implements Output {}

  /** ENOENT. */
  public record Missing() implements Output {}

  @Override
  public Map<String, Long> initial() {
    return Map.of();
  }

  /** Drops lookups without an answer: they change nothing. */
  @Override
  public List<Call<Input, Output>> relevant(List<Call<Input, Output>> calls) {
    return calls.stream()
        .filter(call -> call.answeredAt() != Call.NEVER || !(call.input() instanceof Lookup))
        .toList();
  }

  @Override
  public @Nullable Map<String, Long> step(
      Map<String, Long> state, Input input, @Nullable Output output) {
    return switch (input) {
      case Create(String name) -> create(state, name, output);
      case Unlink(String name) -> unlink(state, name, output);
      case Rename(String from, String to) -> rename(state, from, to, output);
      case Lookup(String name) -> lookup(state, name, output);
    };
  }

  private static @Nullable Map<String, Long> create(
      Map<String, Long> state, String name, @Nullable Output output) {
    if (state.containsKey(name)) {
      return output == null || output instanceof Exists ? state : null;
    }
    if (output == null) {
      return with(state, name, SOME);
    }
    return output instanceof Found(long file) ? with(state, name, file) : null;
  }

  private static @Nullable Map<String, Long> unlink(
      Map<String, Long> state, String name, @Nullable Output output) {
    if (!state.containsKey(name)) {
      return output == null || output instanceof Missing ? state : null;
    }
    return output == null || output instanceof Done ? without(state, name) : null;
  }

  private static @Nullable Map<String, Long> rename(
      Map<String, Long> state, String from, String to, @Nullable Output output) {
    Long file = state.get(from);
    if (file == null) {
      return output == null || output instanceof Missing ? state : null;
    }
    return output == null || output instanceof Done ? with(without(state, from), to, file) : null;
  }

  private static @Nullable Map<String, Long> lookup(
      Map<String, Long> state, String name, @Nullable Output output) {
    Long file = state.get(name);
    return switch (output) {
      case null -> state;
      case Found(long seen) when file != null && (file == SOME || file == seen) ->
          with(state, name, seen);
      case Missing _ -> file == null ? state : null;
      case Found _, Done _, Exists _ -> null;
    };
  }

  private static Map<String, Long> with(Map<String, Long> state, String name, long file) {
    Map<String, Long> next = new TreeMap<>(state);
    next.put(name, file);
    return next;
  }

  private static Map<String, Long> without(Map<String, Long> state, String name) {
    Map<String, Long> next = new TreeMap<>(state);
    next.remove(name);
    return next;
  }
}
