package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.doctor.Doctor;
import io.hypersync.cli.doctor.Finding;
import io.hypersync.cli.doctor.Trouble.Severity;
import io.hypersync.cli.render.DoctorReport;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.UserError;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hypersync doctor}: looks for what is wrong on this host (hypersync.md 16). */
@Command(
    name = "doctor",
    description = {
      "Look for what is wrong on this host, with all workspaces, and say what to do about it. No"
          + " mount is touched.",
      "Exits with 1 if something is wrong that keeps somebody from working; docs/doctor.md has all"
          + " codes."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync doctor",
      "  ./hypersync doctor --fix",
      "  ./hypersync doctor --json | jq -r '.findings[].code'"
    })
final class DoctorCommand implements Callable<Integer> {
  @Mixin private final Screen screen = new Screen();
  @Mixin private final DaemonSelection selection = new DaemonSelection();

  @Option(
      names = "--fix",
      description =
          "Do what is safe: remove sockets of dead daemons, close secrets to others. Without it,"
              + " that is only shown.")
  private boolean fix;

  @Override
  public Integer call() {
    List<Finding> findings = Doctor.examine(selection.daemons(), System.getenv());
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    ArrayNode list = json.putArray("findings");
    boolean isFine = true;
    for (Finding each : findings) {
      boolean isFixed = fix && each.repair().isPresent() && repaired(each.repair().get());
      list.add(each.json().put("fixed", isFixed));
      isFine &= isFixed || each.trouble().severity() != Severity.ERROR;
    }
    json.put("ok", isFine);
    screen.show(json, () -> DoctorReport.of(findings));
    return isFine ? 0 : UserError.FAILED;
  }

  private boolean repaired(Finding.Repair repair) {
    screen.tell(Printable.line(repair.text()));
    Optional<String> failure = Doctor.repair(repair);
    failure.ifPresent(why -> screen.tell("  did not work: " + Printable.line(why)));
    return failure.isEmpty();
  }
}
