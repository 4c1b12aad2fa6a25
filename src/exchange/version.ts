/** The version of the package, as it is sent to the exchange. A test holds it equal to package.json. */
export const VERSION = '0.1.0';
