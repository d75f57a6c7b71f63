package io.hypersync.worker.install;

import io.hypersync.model.hash.Hash;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Estimates how large a tree of pages is while it is walked over (Knuth, "Estimating the efficiency
 * of backtrack programs"). Nobody knows that before: a manifest does not say how many pages it
 * leads to. The whole tree has a share of 1, of which each page gives equal parts to those that it
 * leads to. The shares of the pages that were read and lead to no others are the part of the walk
 * that is done, as far as subtrees beside each other are alike. At the end that is 1, however the
 * tree is shaped.
 *
 * <p>Holds the pages that were found and not read. Used on the agent's thread only.
 */
final class WalkProgress {
  /** The shares of pages that were found and not read. */
  private final Map<Hash, Double> shares = new HashMap<>();

  /** Pages found since a page was read last. */
  private final List<Hash> found = new ArrayList<>();

  private double done;
  private long pages;
  private long bytes;

  /** A page was found that was not found before. */
  void found(Hash page) {
    found.add(page);
  }

  /** The manifest was read: the pages that were found are those that it leads to. */
  void begun() {
    divide(1);
  }

  /** A page was read, and has led to those that were found since the one before. */
  void read(Hash page, int length) {
    Double share = shares.remove(page);
    double own = share == null ? 0 : share;
    pages++;
    bytes += length;
    if (found.isEmpty()) {
      done += own;
    }
    divide(own);
  }

  private void divide(double share) {
    double part = share / Math.max(1, found.size());
    found.forEach(page -> shares.put(page, part));
    found.clear();
  }

  /** How many pages were read. */
  long pages() {
    return pages;
  }

  /** Their length in bytes. */
  long bytes() {
    return bytes;
  }

  /** About how many pages there are: those that are known to be there at least. */
  long pagesInAll() {
    long known = pages + shares.size();
    return shares.isEmpty() || done <= 0 ? known : Math.max(known, Math.round(pages / done));
  }

  /** About how many bytes all pages have; 0 before the first one. */
  long bytesInAll() {
    return pages == 0 ? 0 : Math.round((double) bytes / pages * pagesInAll());
  }
}
