//! Tables as CSV text.

/// A table in memory: the header, then a row at a time.
pub struct CsvText(csv::Writer<Vec<u8>>);

impl CsvText {
    pub fn new<Name: AsRef<[u8]>>(header: impl IntoIterator<Item = Name>) -> Result<CsvText, csv::Error> {
        let mut text = CsvText(csv::Writer::from_writer(Vec::new()));
        text.row(header)?;
        Ok(text)
    }

    pub fn row<Cell: AsRef<[u8]>>(
        &mut self,
        cells: impl IntoIterator<Item = Cell>,
    ) -> Result<(), csv::Error> {
        self.0.write_record(cells)
    }

    pub fn finish(self) -> Result<String, csv::Error> {
        let bytes = self.0.into_inner().map_err(|error| error.into_error())?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
