// Makes schema.ts and routes.ts of an OpenAPI document: node scripts/generate.mjs openapi.json FOLDER
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";

const HEAD = "// Made by scripts/generate.mjs from the server's OpenAPI document (make typescript); change that instead.\n\n";
const [file, folder] = process.argv.slice(2);
const document = JSON.parse(readFileSync(file, "utf8"));

writeFileSync(join(folder, "schema.ts"), HEAD + astToString(await openapiTS(document, { defaultNonNullable: false, alphabetize: true })));

const routes = {};
for (const [path, verbs] of Object.entries(document.paths))
  for (const [verb, operation] of Object.entries(verbs)) routes[operation.operationId] = [verb.toUpperCase(), path];
const lines = Object.keys(routes)
  .sort()
  .map((name) => `  ${name}: ${JSON.stringify(routes[name]).replace(",", ", ")},`);
const body = `/** Each operation's verb and path. */\nexport const ROUTES = {\n${lines.join("\n")}\n} as const;\n`;
writeFileSync(join(folder, "routes.ts"), HEAD + body);
