// Names the Node that the launcher chose.
console.log(process.execPath);
