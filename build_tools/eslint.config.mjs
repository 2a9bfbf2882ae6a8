// Faults that types don't show, and one way to write what can be written in several.

const BROWSER = ["document", "window", "location", "history", "navigator", "performance", "fetch", "URL",
  "URLSearchParams", "AbortController", "AbortSignal", "Blob", "File", "FormData", "TextDecoderStream", "DOMMatrix",
  "createImageBitmap", "setTimeout", "clearTimeout", "setInterval", "localStorage", "Node", "AudioContext",
  "OscillatorNode", "GainNode", "self", "caches", "Request", "VERSION", "FILES", "LATER", "Worker", "Response",
  "ReadableStream", "TextEncoder",
  "console"];

export default [{
  files: ["**/*.js"],
  languageOptions: { globals: Object.fromEntries(BROWSER.map((name) => [name, "readonly"])) },
  linterOptions: { reportUnusedDisableDirectives: true },
  rules: {
    "array-callback-return": "error", "consistent-return": "off", eqeqeq: ["error", "always", { null: "ignore" }],
    "no-cond-assign": "error", "no-const-assign": "error", "no-constant-condition": "error", "no-dupe-keys": "error",
    "no-duplicate-imports": "error", "no-else-return": "error", "no-empty": ["error", { allowEmptyCatch: false }],
    "no-eval": "error", "no-fallthrough": "error", "no-implicit-globals": "error", "no-redeclare": "error",
    "no-self-assign": "error", "no-self-compare": "error", "no-shadow": "error", "no-undef": "error",
    "no-unreachable": "error", "no-unused-expressions": ["error", { allowTernary: true, allowShortCircuit: true }],
    "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true }],
    "no-use-before-define": ["error", { functions: false, classes: false, variables: false }], "no-useless-return": "error",
    "no-var": "error", "object-shorthand": "error", "prefer-const": "error", "prefer-template": "error",
    semi: "error", quotes: ["error", "double", { avoidEscape: true }],
  },
}];
