package io.hypersync.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What was looked at, by {@link Probes} or a test.
 *
 * @param status of all daemons of this machine, as {@code status --json} has it
 * @param version of this command
 * @param mounts all mounts, in the order in which they were made
 * @param processes of the daemons that answer
 * @param readableByOthers files and directories of daemons that others than their owner can get at
 * @param unseen what could not be looked at, for people; may have names as they are
 * @param hasFuse whether there is a {@code /dev/fuse}
 * @param groupBytes memory that this control group may take; 0 if there is no limit
 * @param groupUsedBytes what it takes
 * @param environment of this command
 */
record Observed(
    JsonNode status,
    String version,
    List<Mounted> mounts,
    List<DaemonProcess> processes,
    List<Path> readableByOthers,
    List<String> unseen,
    boolean hasFuse,
    long groupBytes,
    long groupUsedBytes,
    Map<String, String> environment) {

  /**
   * A line of the kernel's table.
   *
   * @param device {@code major:minor} of the filesystem, the same for all its mounts
   */
  record Mounted(String device, String point, String type) {}

  /**
   * A daemon's process.
   *
   * @param name what people know it by
   * @param stateDir its state directory
   * @param diskBytes size of the filesystem of that directory; 0 if it is not known
   * @param freeBytes what is free there
   * @param openFiles descriptors that it has
   * @param openFilesLimit how many it may have; 0 if it is not known, or another row of the same
   *     process says it
   */
  record DaemonProcess(
      String name,
      Path stateDir,
      long diskBytes,
      long freeBytes,
      long openFiles,
      long openFilesLimit) {}
}
