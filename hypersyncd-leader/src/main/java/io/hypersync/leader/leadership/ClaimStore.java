package io.hypersync.leader.leadership;

import java.util.Optional;
import java.util.function.Function;

/** Where the claim of one workspace is, for all processes of a host. May block for a disk. */
public interface ClaimStore {
  /**
   * Reads, decides and writes while no other process does.
   *
   * @param decide called once with what is there; returns what is to be there, empty to leave it
   * @return what is there then
   * @throws ClaimException if it cannot be read or written: then nobody knows what is there
   */
  ClaimContent exchange(Function<ClaimContent, Optional<ClaimContent>> decide)
      throws ClaimException;
}
