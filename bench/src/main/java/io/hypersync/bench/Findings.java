package io.hypersync.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.bench.baseline.Row;
import java.util.List;

/**
 * What a run of a suite gave.
 *
 * @param load how busy the machine was: the load average in the middle of it, more or less
 * @param rows what can be held against a baseline
 * @param missing why rows that were to be among these are not
 * @param json all of it for programs
 * @param text all of it for people
 */
record Findings(double load, List<Row> rows, List<String> missing, ObjectNode json, String text) {}
