package io.hypersync.model.snapshot;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageReader;
import io.hypersync.model.trie.PageSource;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.model.trie.RootVersion;

/** The ways in which entries that restore a state get at it, by its manifest. */
public final class ManifestStates {
  private ManifestStates() {}

  /**
   * For a replica whose newest state need not be in memory: reads the manifest alone, and leaves
   * every node until somebody looks at it. The replica goes on from what this reads, so its next
   * snapshot names the pages without writing them: whoever takes it sees to it that they stay
   * stored until that snapshot is finished.
   *
   * @param version how all states of the replica are hashed
   * @param cache of the replica
   */
  public static RestoredStates lazy(WorkspaceId workspace, RootVersion version, PageCache cache) {
    return states(
        version,
        bytes -> Manifest.read(bytes, workspace, (v, _) -> cache.reader(v), cache.source()));
  }

  /**
   * For states of the past that are looked at beside another one: takes from that what is equal,
   * and reads the rest. What is made of it is for looking at only ({@link PageReader#sharing}).
   *
   * @param like the other state, whose root was computed
   * @param source thread-safe if states are read by several threads
   */
  public static RestoredStates beside(WorkspaceId workspace, FsState like, PageSource source) {
    return states(like.version(), bytes -> Manifest.readBeside(like, bytes, workspace, source));
  }

  /**
   * For a replay that has nothing else in memory: reads all of the state, and computes every hash.
   *
   * @param version how all states of the log are hashed
   */
  public static RestoredStates verifying(
      WorkspaceId workspace, RootVersion version, PageSource source) {
    return states(version, bytes -> Manifest.read(bytes, workspace, PageReader::verifying, source));
  }

  /**
   * As {@link #verifying}, for whoever reads a log without knowing its workspace. The leader has
   * logged no manifest of another one.
   */
  public static RestoredStates logged(RootVersion version, PageSource source) {
    return manifest -> verifying(Manifest.workspace(manifest), version, source).read(manifest);
  }

  @FunctionalInterface
  private interface Reading {
    Manifest read(byte[] manifest) throws DecodeException, PageMissingException;
  }

  private static RestoredStates states(RootVersion version, Reading reading) {
    return manifest -> {
      RootVersion stated = Manifest.version(manifest);
      if (stated != version) {
        throw new DecodeException("the manifest has roots of version " + stated);
      }
      try {
        return reading.read(manifest).state();
      } catch (PageMissingException e) {
        throw new PageUnreadableException(e.page(), e.getMessage(), e);
      }
    };
  }
}
