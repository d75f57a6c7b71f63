package io.hypersync.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.bench.baseline.Row;
import java.util.List;

/**
 * Result of a suite's run.
 *
 * @param load the load average in about the middle of the run
 * @param rows ratios that can be compared with a baseline
 * @param missing for each row that should be among these and is not, the reason
 * @param json the whole result for programs
 * @param text the whole result for people
 */
record SuiteResult(
    double load, List<Row> rows, List<String> missing, ObjectNode json, String text) {}
