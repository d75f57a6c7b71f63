package io.hypersync.cli.support;

import io.hypersync.cli.daemons.Daemons;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Gathers all sources into one archive; there is no half of one under its name. */
public final class SupportArchive {
  private static final String FOLDER = "hypersync-support/";
  private static final int MOST_BYTES = 4 << 20;

  private static final String ABOUT =
      """
      What hypersync support has gathered. Nothing of it was sent anywhere.

      In it are names: of the workspace, of workers, of agents and of snapshots; addresses of hosts;
      mount points, folders of state and paths of this host; lines of logs, unless --no-logs was
      given. Not in it are keys and tokens, contents of files, and names of files in the workspace,
      except where a line of a log has one.

      """;

  private SupportArchive() {}

  /**
   * What was gathered.
   *
   * @param files how many are in the archive
   * @param failed one line for each source that could not be had
   * @param bytes of the archive
   */
  public record Gathered(int files, List<String> failed, long bytes) {}

  /**
   * Writes it beside its name, syncs it, and gives it the name then. Only its owner may read it.
   *
   * @param out which must not exist
   * @param withLogs whether logs are wanted
   * @param progress is told what is asked
   * @throws UserError if it cannot be written: a full disk, no right
   */
  public static Gathered write(
      Path out,
      Daemons daemons,
      Map<String, String> environment,
      boolean withLogs,
      Consumer<String> progress)
      throws InterruptedException {
    return write(out, Sources.of(daemons, environment, withLogs), progress);
  }

  static Gathered write(Path out, List<Source> sources, Consumer<String> progress)
      throws InterruptedException {
    Path target = out.toAbsolutePath();
    Path partial =
        target.resolveSibling("." + target.getFileName() + "." + ProcessHandle.current().pid());
    try {
      if (Files.exists(target)) {
        throw new FileAlreadyExistsException(target.toString());
      }
      try {
        Gathered gathered = gather(partial, sources, progress);
        name(partial, target);
        return gathered;
      } finally {
        Files.deleteIfExists(partial);
      }
    } catch (FileAlreadyExistsException e) {
      throw new UserError(
          "there is a file " + target + " already", "Name another one: --out <file>.tar.gz");
    } catch (IOException e) {
      throw new UserError(
          "cannot write " + target + ": " + FileProblems.describe(e),
          FileProblems.hint(e, "Nothing was left behind. Name another place: --out <file>.tar.gz"));
    }
  }

  /** Gives a file its name, unless another one has got it meanwhile: a move would replace that. */
  private static void name(Path partial, Path target) throws IOException {
    try {
      Files.createLink(target, partial); // the other name is removed by the caller
    } catch (FileAlreadyExistsException e) {
      throw e;
    } catch (FileSystemException | UnsupportedOperationException noLinksThere) {
      Files.createFile(target);
      try {
        Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException e) {
        Files.deleteIfExists(target);
        throw e;
      }
    }
  }

  private static Gathered gather(Path partial, List<Source> sources, Consumer<String> progress)
      throws IOException, InterruptedException {
    List<String> failed = new ArrayList<>();
    StringBuilder contents = new StringBuilder(ABOUT);
    int files = 0;
    try (FileChannel channel =
        FileChannel.open(
            partial,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      OutputStream file = new BufferedOutputStream(Channels.newOutputStream(channel));
      TarWriter tar = new TarWriter(file, Instant.now().getEpochSecond());
      for (Source source : sources) {
        progress.accept(source.file());
        switch (source.ask()) {
          case Source.Outcome.Text(String text) -> {
            byte[] all = text.getBytes(StandardCharsets.UTF_8);
            byte[] kept = all.length > MOST_BYTES ? Arrays.copyOf(all, MOST_BYTES) : all;
            tar.add(FOLDER + source.file(), kept);
            files++;
            contents
                .append(source.file())
                .append(": ")
                .append(Printable.line(source.about()))
                .append(kept.length < all.length ? " (its beginning)\n" : "\n");
          }
          case Source.Outcome.Failed(String why) -> {
            String line = Printable.line(Redaction.text(source.file() + ": " + why), 1_000);
            failed.add(line);
            contents.append("not there: ").append(line).append('\n');
          }
        }
      }
      tar.add(FOLDER + "README.txt", contents.toString().getBytes(StandardCharsets.UTF_8));
      tar.finish();
      file.flush();
      channel.force(true);
      return new Gathered(files + 1, List.copyOf(failed), channel.size());
    }
  }
}
