package io.hypersync.model.state;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.snapshot.ManifestStates;
import io.hypersync.model.trie.PageStore;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.model.trie.RootVersion;
import java.util.ArrayList;
import java.util.List;

/** States that were written, by their manifests, as entries that restore them read them. */
public final class StoredStates implements RestoredStates {
  /** The workspace of all manifests. */
  public static final WorkspaceId WORKSPACE = new WorkspaceId(0x1234, 0x5678);

  private final PageStore pages = new PageStore();
  private final List<byte[]> manifests = new ArrayList<>();

  /** Writes a state; returns its manifest. */
  public byte[] add(FsState state) {
    long index = manifests.size();
    byte[] manifest =
        new Manifest(WORKSPACE, index, index, StateWeight.of(state), state)
            .write(PageWriter.complete(state.version(), pages))
            .bytes();
    manifests.add(manifest);
    return manifest;
  }

  /** The manifests so far, in the order in which the states came. */
  public List<byte[]> manifests() {
    return manifests;
  }

  /** Where all pages are. */
  public PageStore pages() {
    return pages;
  }

  @Override
  public FsState read(byte[] manifest) throws DecodeException {
    RootVersion version = Manifest.version(manifest);
    return ManifestStates.verifying(WORKSPACE, version, pages).read(manifest);
  }
}
