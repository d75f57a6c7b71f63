package io.hypersync.model.state;

import io.hypersync.model.codec.DecodeException;

/**
 * Reads the states that {@link io.hypersync.model.op.FsOp.RestoreState} names. Whoever applies
 * entries of a log has one, since any of them may be such an entry.
 */
@FunctionalInterface
public interface RestoredStates {
  /** Has no state, for whoever applies ops of callers only. */
  RestoredStates NONE =
      _ -> {
        throw new DecodeException("no earlier state can be read here");
      };

  /**
   * Reads a state. It may read no more than the manifest, and leave the nodes until somebody looks
   * at them. Equal manifests give equal states at any time, so that an entry means the same for
   * whoever applies it.
   *
   * @param manifest as {@code model.snapshot.Manifest} writes it; not to be changed
   * @throws DecodeException if it is no manifest of this workspace, or of roots of another version
   * @throws io.hypersync.model.trie.PageUnreadableException if a page that is needed cannot be read
   */
  FsState read(byte[] manifest) throws DecodeException;
}
